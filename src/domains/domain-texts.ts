import { type DescribedEvent, type EventText, listOf } from '../database/events/event-types';
import type { DomainRecord } from './domain.dto';
import type { Problem } from './verification/domain-verification.entity';

/** Describes a domain's events for people. `problems` are those of its last check; `domain` is null once deleted. */
export function describeDomain(
  { type, actor, data }: DescribedEvent,
  domain: DomainRecord | null,
  problems: readonly Problem[],
): EventText | undefined {
  if (type === 'domain.deleted')
    return { title: 'Domain deleted', text: `${typeof data.host === 'string' ? data.host : 'A domain'} was deleted: visitors get a 404.` };
  if (!domain) return undefined;
  const { host } = domain;
  switch (type) {
    case 'domain.created':
      return { title: 'Domain created', text: `${host} was added. It is served once its TXT record is found in DNS.` };
    case 'domain.updated':
      return { title: 'Domain changed', text: `${host} was changed: ${listOf(data.changed)}.` };
    case 'domain.verified':
      return { title: 'Domain verified', text: `${host} is verified${whatVisitorsGet(domain, problems)}`, url: `${domain.scheme}${host}` };
    case 'domain.unverified':
      return { title: 'Domain lost its proof', text: `${host} ${whyUnverified(actor.type)}, visitors get a 404.` };
    case 'domain.failed':
      return {
        title: 'Domain not verified',
        text: `${host} was looked up for a week without its TXT record. Set the record, then verify the domain again.`,
      };
  }
  return undefined;
}

function whatVisitorsGet({ is_enabled, custom_index_url }: DomainRecord, problems: readonly Problem[]): string {
  if (!is_enabled) return ', but switched off: visitors get a 404 until it is enabled.';
  if (problems.some(({ code }) => code === 'target_missing' || code === 'target_differs'))
    return ", but doesn't point here yet: set its DNS records.";
  if (custom_index_url === '') return ', but has no address to send visitors to: set custom_index_url.';
  return `: visitors are sent to ${custom_index_url}.`;
}

/** A worker finds that the record is gone; a key changes the host, and an operator has the domain verified again. */
function whyUnverified(actor: DescribedEvent['actor']['type']): string {
  if (actor === 'service') return 'no longer has the TXT record that proves whose it is. Until it is back';
  return 'is no longer verified. Until its TXT record is found';
}
