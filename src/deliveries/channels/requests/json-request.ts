import type { OutboundRequest } from '../../../outbound/outbound-request';

type Options = Partial<Pick<OutboundRequest, 'headers' | 'isTrusted' | 'readsBody'>>;

/** By default, the URL is a caller's, and the response's body is not read. */
export function jsonRequest(
  url: string,
  body: string,
  { headers, isTrusted = false, readsBody = () => false }: Options = {},
): OutboundRequest {
  return {
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    isTrusted,
    needsNewConnection: false,
    readsBody,
    needsWholeBody: false,
  };
}
