import { RequestError } from '../platform/common/errors';
import type { ScopeName } from './route-policies';

export const REALM = 'frontdesk';

/** The error for a request without a valid key. */
export function unauthenticated(authorization = ''): RequestError {
  if (/^bearer(?: |$)/i.test(authorization)) return invalidKey();
  return challenge('unauthenticated', 'An API key is required, in the header `Authorization: Bearer <API_KEY>`.');
}

/** The error for an invalid key, or one that stops being valid during a request. */
export function invalidKey(): RequestError {
  return challenge('unauthenticated', 'The API key is malformed, unknown, expired or revoked.', 'error="invalid_token"');
}

/** The challenge names every scope of the route (RFC 6750, section 3), the detail only those the key lacks. */
export function insufficientScope(required: readonly ScopeName[], missing: readonly ScopeName[]): RequestError {
  const detail = `The API key needs the scope${missing.length > 1 ? 's' : ''} ${missing.join(' and ')}.`;
  return challenge('insufficient_scope', detail, `error="insufficient_scope", scope="${required.join(' ')}"`);
}

/** An error with a WWW-Authenticate challenge (RFC 6750, section 3). */
function challenge(code: 'unauthenticated' | 'insufficient_scope', detail: string, authParams?: string): RequestError {
  const header = [`Bearer realm="${REALM}"`, authParams].filter(Boolean).join(', ');
  return new RequestError([{ code, detail, source: { in: 'header', name: 'Authorization' } }], { 'WWW-Authenticate': header });
}
