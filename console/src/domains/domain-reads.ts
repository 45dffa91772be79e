import type { Api, Schemas } from '../api/api';
import { getReader } from '../events/event-reader';
import type { Query } from '../lists/list-query';
import type { LiveEvent } from '../live/live-feed';

export type Verification = Schemas['VerificationRecord'];
export type VerificationStatus = Verification['status'];
export type Domain = Schemas['DomainRecord'];
/** A domain in the list, with its verification. */
export type ListedDomain = Schemas['ListedDomain'];

export async function readDomains(api: Api, query: Query, signal: AbortSignal) {
  const { data, meta } = await api.get('/api/domains', { query: { ...query, include: 'verification' }, signal });
  return { data, meta };
}

export async function readDomain(api: Api, domain_id: number, signal: AbortSignal) {
  const options = { path: { domain_id }, signal };
  const [domain, settings, verification] = await Promise.all([
    api.get('/api/domains/{domain_id}', options),
    api.get('/api/domains/{domain_id}/settings', options),
    api.get('/api/domains/{domain_id}/verification', options),
  ]);
  return { domain: domain.data, etag: domain.etag, settings: settings.data, verification: verification.data };
}

/** Like `readDomain`, plus the event of its verification. Omits TXT problems of a domain that the operator verified. */
export async function readDomainState(api: Api, id: number, mayReadEvents: boolean, signal: AbortSignal) {
  const [domain, event] = await Promise.all([readDomain(api, id, signal), mayReadEvents ? readVerifiedEvent(api, id, signal) : undefined]);
  const { verification } = domain;
  if (verification.status !== 'verified' || !isProvenByOperator(event)) return { ...domain, verifiedEvent: event };
  const problems = verification.problems.filter(({ code }) => !code.startsWith('txt_'));
  return { ...domain, verification: { ...verification, problems }, verifiedEvent: event };
}

/** The `domain.verified` event; undefined if the feed no longer has it. */
async function readVerifiedEvent(api: Api, id: number, signal: AbortSignal): Promise<LiveEvent | undefined> {
  const { events } = await getReader(api, 'domain.verified').read(signal);
  return events.find(({ record }) => record?.id === id);
}

export function isProvenByOperator(verifiedEvent: LiveEvent | undefined): boolean {
  return verifiedEvent?.actor?.type === 'operator';
}
