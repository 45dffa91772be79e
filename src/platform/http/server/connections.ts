import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { ERRORS, type Violation } from '../../common/errors';
import { entryOf, errorBody } from '../error-body';
import { closeWithConnection, currentResponse } from './response-close';

/** In milliseconds. */
export const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };

/** Socket idle timeout while a client is not reading. */
export const STALLED_TIMEOUT_MS = 60_000;

/** Headers for all responses except our own pages: uploads and extensions' HTML must not run in this origin, where the console holds API keys. */
export const INERT_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "sandbox; default-src 'none'"],
] as const;

/** Called for error responses to requests that could not be parsed. */
type ParseErrorListener = (response: { id: string; status: number }) => void;

/** Renders the body of an error response, and the header lines that are added to those common to all such responses. */
export type RenderError = (violation: Violation, requestId: string) => { head: readonly string[]; body: string };

/**
 * Handles requests that Node would reject without a body, or by closing the connection: CONNECT and an unknown Expect reach the `request`
 * listeners, unparsable requests get an error response. Every response emits `close`, even those to pipelined requests.
 */
export function handleProtocolErrors(server: Server, listeners: readonly ParseErrorListener[], render = renderJson): void {
  server.prependListener('request', closeWithConnection);
  server.maxHeadersCount = 0; // Node would silently drop headers after the 1,000th; their size is limited
  server.on('checkExpectation', (request, response) => server.emit('request', request, response)); // RFC 9110, 10.1.1, allows ignoring it
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy()); // Node has removed its own listener; an unhandled error would end the process
    afterEarlierResponses(socket, () => server.emit('request', request, responseOn(socket, request)));
  });
  server.on('clientError', (error, socket) => respondToParseError(error, socket, render, listeners));
}

/** Waits, because Node throws if a second response is assigned to a socket before the first is sent. */
function afterEarlierResponses(socket: Duplex, respond: () => void): void {
  const earlier = currentResponse(socket);
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

const PARSE_ERRORS: Record<string, Violation> = {
  HPE_HEADER_OVERFLOW: { code: 'payload_too_large', detail: 'The request line and headers may have at most 16 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'Headers must arrive within 10 s, and the whole request within 30 s.' },
};

/** Writes the error response to the socket: no request handler runs for a request that Node can't parse. */
function respondToParseError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  render: RenderError,
  listeners: readonly ParseErrorListener[],
): void {
  const response = currentResponse(socket);
  const isWritable = socket.writable && error.code !== 'ECONNRESET';
  if (isWritable && response?.req.complete && !response.writableFinished) {
    response.once('finish', () => socket.end()); // an earlier request's response, which is sent first
    return;
  }
  if (!isWritable || response?.headersSent) {
    socket.destroy();
    return;
  }
  const violation = PARSE_ERRORS[error.code ?? ''] ?? { code: 'malformed_request' as const, detail: 'The request does not follow HTTP.' };
  const { status } = ERRORS[violation.code];
  const id = randomUUID();
  for (const listener of listeners) listener({ id, status });
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
  const head = ['Content-Type: application/json; charset=utf-8', ...INERT_HEADERS.map((header) => header.join(': '))];
  return { head, body: JSON.stringify(errorBody([entryOf(violation)], requestId)) };
}

/** How long responses carry `Connection: close` before idle connections are closed; closing immediately would lose requests in transit. */
const DRAIN_GRACE_MS = 1_000;
const DRAIN_DEADLINE_MS = 7_000;
const POLL_MS = 20;
const QUIET_ITERATIONS = 3;

/** Node accepts one connection per iteration of its event loop; closing the server resets those still in the kernel's queue. */
async function acceptQueued(server: Server): Promise<void> {
  const deadline = AbortSignal.timeout(DRAIN_GRACE_MS);
  let quietIterations = 0;
  const onConnection = () => (quietIterations = 0);
  server.on('connection', onConnection);
  while (quietIterations++ < QUIET_ITERATIONS && !deadline.aborted) await yieldToEventLoop();
  server.off('connection', onConnection);
}

/** Completes requests in progress, up to the deadline. After `announce`, every response must have `Connection: close`. */
export async function drainServer(server: Server, announce: () => void): Promise<void> {
  await acceptQueued(server);
  let isClosed = false;
  // Refuses new connections: a refused connection is safe to retry, but a request on one accepted now could be cut off.
  // http.Server's own close() would also close idle connections, losing requests in transit on them.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())).then(() => (isClosed = true));
  announce(); // not earlier: clients would reconnect, and the new connections be reset
  await sleep(DRAIN_GRACE_MS);
  const deadline = AbortSignal.timeout(DRAIN_DEADLINE_MS);
  while (!isClosed && !deadline.aborted) {
    await yieldToEventLoop(); // after a pause of the process, timers run before requests that arrived meanwhile are read
    server.closeIdleConnections(); // responses sent before draining began kept their connection alive
    await sleep(POLL_MS);
  }
  server.closeAllConnections();
  await Promise.race([closed, sleep(DRAIN_DEADLINE_MS, undefined, { ref: false })]);
  await sleep(POLL_MS); // aborted requests are logged when their connections close, just after the server does
}
