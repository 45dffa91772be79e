import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody, ERRORS, type Violation } from './request-error';

/** Answers, on the bare connection, a request that Node's parser can't make out; no handler ever sees it. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const violation: Violation =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? { code: 'payload_too_large', detail: 'The request line and headers may have at most 16 KiB.' }
      : { code: 'malformed_request', detail: 'The request does not follow HTTP.' };
  const { status } = ERRORS[violation.code];
  const id = randomUUID();
  const body = JSON.stringify(errorBody([violation], id));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
