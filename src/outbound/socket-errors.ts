/** Errors of a connection that the network or the peer has ended. */
const LOST_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether an error of a TLS connection concerns TLS: OpenSSL has a code for each way in which a certificate can be wrong. */
export function isTlsError(code: string): boolean {
  return !LOST_CONNECTION.has(code);
}

/** Whether a host name has no address, or the system's resolver got no answer. */
export function isNameError(code: string): boolean {
  return code === 'ENOTFOUND' || code.startsWith('EAI_');
}
