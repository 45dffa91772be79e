import { RequestError } from '../http/errors/request-error';

export const REALM = 'frontdesk';

/** A refusal whose header tells why, as RFC 6750, section 3, has it. */
export function challenge(code: 'unauthenticated' | 'insufficient_scope', detail: string, reason?: string): RequestError {
  const header = [`Bearer realm="${REALM}"`, reason].filter(Boolean).join(', ');
  return new RequestError([{ code, detail, source: { in: 'header', name: 'Authorization' } }], { 'WWW-Authenticate': header });
}
