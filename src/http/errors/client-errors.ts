import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { entryOf, errorBody, ERRORS, RequestError, type Violation } from './request-error';

/** Called for error responses to requests that could not be parsed. */
export type ResponseListener = (response: { request_id: string; status: number }) => void;

/** Header lines and body of an error response, in addition to those of every response. */
export type RenderError = (violation: Violation, requestId: string) => { head: readonly string[]; body: string };

/**
 * Handles what Node would answer without a body, or just close: a missing Host, an unknown Expect, CONNECT, parse errors.
 * `refuseAmbiguous` refuses some of these.
 */
export function handleProtocolErrors(server: Server, listeners: readonly ResponseListener[]): void {
  Object.assign(server, { requireHostHeader: false });
  passOnAll(server, renderJson, listeners);
  server.prependListener('request', (request) => {
    if (!request.url?.startsWith('/')) request.url = originForm(request.url);
  });
}

/** As Node's own handler of parse errors reads it. */
type SocketInUse = Duplex & { _httpMessage?: ServerResponse | null };

/** Emits `request` for CONNECT and an unknown Expect, too, and answers what can't be parsed. */
export function passOnAll(server: Server, render: RenderError, listeners: readonly ResponseListener[]): void {
  server.maxHeadersCount = 0; // Node would drop those after the 1,000th unseen; their size is limited
  server.on('checkExpectation', (request, response) => server.emit('request', request, response)); // RFC 9110, 10.1.1, allows ignoring it
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy()); // Node removed its listener; an unhandled error would end the process
    afterEarlierResponses(socket, () => server.emit('request', request, responseOn(socket, request)));
  });
  server.on('clientError', (error, socket) => respondToParseError(error, socket, render, listeners));
}

/** A response is assigned to its socket until it is sent; with a second one, Node throws. */
function afterEarlierResponses(socket: Duplex, respond: () => void): void {
  const { _httpMessage: earlier } = socket as SocketInUse;
  if (earlier) earlier.once('close', () => afterEarlierResponses(socket, respond));
  else if (socket.writable) respond();
}

/** Node passes CONNECT without a response object; there are no tunnels, so it gets an ordinary response and the socket is closed. */
function responseOn(socket: Duplex, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  return response.on('finish', () => (socket as Socket).destroySoon());
}

/** A request target may be an absolute URL (RFC 9112, 3.2.2); Express hangs on one that it can't parse. */
function originForm(target = ''): string {
  const url = URL.parse(target);
  return url?.pathname.startsWith('/') ? url.pathname + url.search : '/*';
}

const SINGLE_HEADERS = new Set(['host', 'authorization', 'content-type']);
const refused = new WeakSet<Socket>();

/**
 * Refuses HTTP versions that Node's parser lets through (0.9, 2.0), a missing Host (RFC 9112, 3.2), and repeated headers,
 * which a proxy may resolve differently. Later requests on the connection may be smuggled: they are refused, and it is closed.
 */
export function refuseAmbiguous(request: Request): void {
  const violation = refused.has(request.socket)
    ? malformed('The request before it on this connection was refused.')
    : findAmbiguity(request);
  if (!violation) return;
  refused.add(request.socket);
  throw new RequestError([violation], { Connection: 'close' });
}

function findAmbiguity({ httpVersion, headers, rawHeaders }: Request): Violation | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('A request must be HTTP/1.1 or HTTP/1.0.');
  if (httpVersion === '1.1' && headers.host === undefined) return malformed('A request must have a Host.', 'Host');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return malformed(`${name} may be given once.`, name);
    seen.add(name);
  }
  return undefined;
}

function malformed(detail: string, header?: string): Violation {
  return { code: 'malformed_request', detail, source: header === undefined ? undefined : { in: 'header', name: header } };
}

const PARSE_ERRORS: Record<string, Violation> = {
  HPE_HEADER_OVERFLOW: { code: 'payload_too_large', detail: 'The request line and headers may have at most 16 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'Headers must come within 10 s, and a whole request within 30 s.' },
};

/** Writes the error response to the socket: no request handler runs for a request that Node can't parse. */
function respondToParseError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  render: RenderError,
  listeners: readonly ResponseListener[],
): void {
  const { _httpMessage: response } = socket as SocketInUse;
  const isWritable = socket.writable && error.code !== 'ECONNRESET';
  if (isWritable && response?.req.complete && !response.writableFinished) {
    response.once('finish', () => socket.end()); // an earlier request's response, which is sent first
    return;
  }
  if (!isWritable || response?.headersSent) {
    socket.destroy();
    return;
  }
  const violation = PARSE_ERRORS[error.code ?? ''] ?? malformed('The request does not follow HTTP.');
  const { status } = ERRORS[violation.code];
  const id = randomUUID();
  for (const listener of listeners) listener({ request_id: id, status });
  const { head, body } = render(violation, id);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...head,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function renderJson(violation: Violation, requestId: string): ReturnType<RenderError> {
  return { head: ['Content-Type: application/json; charset=utf-8'], body: JSON.stringify(errorBody([entryOf(violation)], requestId)) };
}

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's `X-Request-Id` if it is well-formed, else a new one. */
export function requestIdOf(given: unknown): string {
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}
