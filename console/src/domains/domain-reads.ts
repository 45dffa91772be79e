import type { Api, Schemas } from '../api/api';
import type { Query } from '../lists/list-query';

export type Verification = Schemas['VerificationRecord'];
export type VerificationStatus = Verification['status'];
export type Domain = Schemas['DomainRecord'];
/** A domain of the list, with what is known of its proof. */
export type ListedDomain = Schemas['ListedDomain'];

export async function readDomains(api: Api, query: Query, signal: AbortSignal) {
  const { data, meta } = await api.get('/api/domains', { query: { ...query, include: 'verification' }, signal });
  return { data, meta };
}

/** All that the page of one domain shows. */
export async function readDomain(api: Api, domain_id: number, signal: AbortSignal) {
  const options = { path: { domain_id }, signal };
  const [domain, settings, verification] = await Promise.all([
    api.get('/api/domains/{domain_id}', options),
    api.get('/api/domains/{domain_id}/settings', options),
    api.get('/api/domains/{domain_id}/verification', options),
  ]);
  return { domain: domain.data, etag: domain.etag, settings: settings.data, verification: verification.data };
}
