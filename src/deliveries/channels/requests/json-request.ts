import type { OutboundRequest } from '../../../outbound/outbound-request';

type Options = Partial<Pick<OutboundRequest, 'headers' | 'isTrusted' | 'readsBody'>>;

/** By default to a URL of a caller, and decided by the status alone. */
export function jsonRequest(
  url: string,
  body: string,
  { headers, isTrusted = false, readsBody = () => false }: Options = {},
): OutboundRequest {
  return { url, headers: { 'content-type': 'application/json', ...headers }, body, isTrusted, needsNewConnection: false, readsBody };
}
