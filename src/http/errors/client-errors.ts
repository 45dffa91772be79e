import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { entryOf, errorBody, ERRORS, RequestError, type Violation } from './request-error';

/** Is told of an answer that no request stands behind. */
export type AnswerListener = (answer: { request_id: string; status: number }) => void;

/**
 * Lets requests through to our own answers that Node would answer by itself, without a body: see `refuseAmbiguous`. Of one that
 * is no HTTP, the listeners are told.
 */
export function answerByOurselves(server: Server, listeners: readonly AnswerListener[]): void {
  Object.assign(server, { requireHostHeader: false });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response)); // RFC 9110, 10.1.1, leaves it to us
  server.on('connect', (request, socket) => server.emit('request', request, answerOn(socket, request)));
  server.on('clientError', (error, socket) => answerUnreadable(error, socket, listeners));
  server.prependListener('request', (request) => {
    if (!request.url?.startsWith('/')) request.url = originForm(request.url);
  });
}

/** A CONNECT comes without an answer to write: there is no tunnel here, so it is answered like any other, and that is all. */
function answerOn(socket: Duplex, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  socket.on('error', () => socket.destroy()); // Node has taken its own listener away, and without one an error ends the process
  return response.on('finish', () => (socket as Socket).destroySoon());
}

/** A request may name its target with a scheme and host (RFC 9112, 3.2.2); Express has no answer to one it can't make out. */
function originForm(target = ''): string {
  const url = URL.parse(target);
  return url?.pathname.startsWith('/') ? url.pathname + url.search : '/*';
}

const ONCE = new Set(['host', 'authorization', 'content-type']);
const refused = new WeakSet<Socket>();

/**
 * Refuses a request of another version than HTTP/1.0 or 1.1 (Node's parser lets 0.9 and 2.0 through), one without a Host
 * (RFC 9112, 3.2), and one that has two of a header that counts once, of which a proxy may take the one and this service the
 * other. What follows on the connection may belong to another request, so it is refused as well, and the connection closed.
 */
export function refuseAmbiguous(request: Request): void {
  const violation = refused.has(request.socket) ? BEHIND : findAmbiguity(request);
  if (!violation) return;
  refused.add(request.socket);
  throw new RequestError([violation], { Connection: 'close' });
}

function findAmbiguity({ httpVersion, headers, rawHeaders }: Request): Violation | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return OTHER_VERSION;
  return httpVersion === '1.1' && headers.host === undefined ? NO_HOST : findDoubled(rawHeaders);
}

const BEHIND: Violation = { code: 'malformed_request', detail: 'The request before it on this connection was refused.' };
const OTHER_VERSION: Violation = { code: 'malformed_request', detail: 'A request must be HTTP/1.1 or HTTP/1.0.' };
const NO_HOST: Violation = {
  code: 'malformed_request',
  detail: 'A request must have a Host.',
  source: { in: 'header', name: 'Host' },
};

function findDoubled(rawHeaders: string[]): Violation | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) return { code: 'malformed_request', detail: `${name} may be given once.`, source: { in: 'header', name } };
    seen.add(name);
  }
  return undefined;
}

const UNREADABLE: Record<string, Violation> = {
  HPE_HEADER_OVERFLOW: { code: 'payload_too_large', detail: 'The request line and headers may have at most 16 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'Headers must come within 10 s, and a whole request within 30 s.' },
};

/** Answers, on the bare connection, a request that Node's parser can't make out; no handler ever sees it. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, listeners: readonly AnswerListener[]): void {
  const { _httpMessage: answer } = socket as Duplex & { _httpMessage?: ServerResponse }; // as Node's own handler asks
  const isOfEarlier = answer?.req.complete === true && !answer.writableFinished; // which has its answer, and no other
  if (socket.writable && error.code !== 'ECONNRESET' && isOfEarlier) {
    answer.once('finish', () => socket.end());
    return;
  }
  if (!socket.writable || error.code === 'ECONNRESET' || answer?.headersSent) {
    socket.destroy();
    return;
  }
  const violation = UNREADABLE[error.code ?? ''] ?? { code: 'malformed_request', detail: 'The request does not follow HTTP.' };
  const { status } = ERRORS[violation.code];
  const id = randomUUID();
  for (const listener of listeners) listener({ request_id: id, status });
  const body = JSON.stringify(errorBody([entryOf(violation)], id));
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
