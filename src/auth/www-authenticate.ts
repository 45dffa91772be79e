import { RequestError } from '../http/errors/request-error';

export const REALM = 'frontdesk';

/** An error with a WWW-Authenticate challenge (RFC 6750, section 3). */
export function challenge(code: 'unauthenticated' | 'insufficient_scope', detail: string, reason?: string): RequestError {
  const header = [`Bearer realm="${REALM}"`, reason].filter(Boolean).join(', ');
  return new RequestError([{ code, detail, source: { in: 'header', name: 'Authorization' } }], { 'WWW-Authenticate': header });
}
