import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isTlsError, type OutboundFailure, type OutboundRequest, type OutboundResponse, type OutboundCall } from './outbound-request';

/** Node skips interim responses, so a status below 200 is a 101 without `Upgrade`, or invalid. */
const MIN_FINAL_STATUS = 200;
/** Limits on interim responses, empty lines, spaces before a header's value, and chunk framing. Node has none. */
const MAX_INTERIM_RESPONSES = 8;
const MAX_BYTES_BEFORE_RESPONSE = 64 * 1_024;
const MAX_BODY_BYTES = 64 * 1_024;
const MAX_CHUNKED_BODY_BYTES = 2 * MAX_BODY_BYTES;
/** Timeout for bodies that are optional or discarded. */
const OPTIONAL_BODY_MS = 1_000;
/** Bodies drained concurrently per process. Their deliveries have ended, so delivery slots don't limit them. */
const MAX_DRAINED = 64;

/** Sends one request to one address. `connectMs` caps the TCP connect, to leave time for the next address. @throws OutboundError */
export async function exchange(
  options: RequestOptions,
  outgoing: OutboundRequest,
  call: OutboundCall,
  { drain, connectMs }: { drain: Drain; connectMs?: number },
): Promise<OutboundResponse> {
  const request = httpRequest(options);
  const write = () => {
    if (call.startWriting()) request.end(outgoing.body); // Node holds the headers back until now
  };
  const failure = failureOf(request, call, connectMs, write);
  const untilFailure = <T>(work: Promise<T>) => call.untilEnd(Promise.race([work, failure]));
  try {
    const response = await untilFailure(new Promise<IncomingMessage>((resolve) => request.once('response', resolve)));
    const { statusCode: status = 0, headers } = response;
    if (status < MIN_FINAL_STATUS) throw call.error('not_http');
    if (!outgoing.readsBody(status)) {
      drain.read(response);
      return { status, headers, body: '' };
    }
    if (!outgoing.needsWholeBody(status))
      return { status, headers, body: (await readBody(response, Math.min(OPTIONAL_BODY_MS, call.remainingMs))) ?? '' };
    const body = await untilFailure(readBody(response));
    if (body === undefined) throw call.error('no_answer');
    return { status, headers, body };
  } catch (error) {
    request.destroy();
    throw error;
  }
}

/** Calls `write` once connected. Rejects if the request fails, no final response comes, or the receiver upgrades unasked (RFC 9110, 15.2.2). */
function failureOf(request: ClientRequest, call: OutboundCall, connectMs: number | undefined, write: () => void): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    let hasTls = false;
    request.once('socket', (socket) => {
      const isTls = 'encrypted' in socket;
      if (request.reusedSocket) {
        hasTls = isTls;
        return write();
      }
      const timer = connectMs === undefined ? undefined : setTimeout(() => request.destroy(), connectMs).unref();
      socket.once('connect', () => {
        clearTimeout(timer);
        hasTls = isTls;
      });
      socket.once(isTls ? 'secureConnect' : 'connect', write);
    });
    request.on('error', ({ code }: NodeJS.ErrnoException) => reject(call.error(classifyError(code, hasTls, call.isWritten))));
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(call.error('not_http'));
    });
    limitBytes(request, () => reject(call.error('not_http')));
  });
  failure.catch(() => undefined); // prevents an unhandled rejection: nothing awaits a failure after the response
  return failure;
}

/** Calls `onExceeded` on too many bytes or interim responses before the final response; closes the connection if that is too long. */
function limitBytes(request: ClientRequest, onExceeded: () => void): void {
  let [interimResponses, bytes] = [0, 0];
  let response: IncomingMessage | undefined;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (response && bytes > MAX_CHUNKED_BODY_BYTES) response.destroy();
    if (!response && bytes > MAX_BYTES_BEFORE_RESPONSE) onExceeded();
  };
  request.once('socket', (socket) => {
    socket.on('data', count); // runs after the parser's listener: a chunk that completes the headers has set `response`
    request.once('response', (final) => {
      [response, bytes] = [final, 0];
      final.once('close', () => socket.off('data', count));
    });
  });
  request.on('information', () => {
    if (++interimResponses > MAX_INTERIM_RESPONSES) onExceeded();
  });
}

function classifyError(code = '', hasTls: boolean, isWritten: boolean): OutboundFailure {
  if (code.startsWith('HPE_')) return 'not_http'; // an error of Node's HTTP parser
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'unresolved'; // an error of the system's resolver
  if (hasTls && isTlsError(code)) return 'tls_error';
  return isWritten ? 'no_answer' : 'unreachable';
}

/**
 * Reads at most 64 KiB of the body. Closes the connection if the body is longer, or takes longer than `milliseconds`. Undefined if the
 * body ended early, for instance because of that timeout.
 */
function readBody(response: IncomingMessage, milliseconds?: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = milliseconds === undefined ? undefined : setTimeout(() => response.destroy(), milliseconds);
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BODY_BYTES) response.destroy();
    });
    response.on('error', () => undefined); // `close` follows
    response.once('close', () => {
      clearTimeout(timer);
      const isRead = response.complete || length > MAX_BODY_BYTES;
      resolve(isRead ? Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString() : undefined);
    });
  });
}

/** Reads unwanted bodies in the background, so that their connections can be reused. Closes the connection if the body is long or slow. */
export class Drain {
  private count = 0;

  read(response: IncomingMessage): void {
    if (this.count === MAX_DRAINED) {
      response.on('error', () => undefined).destroy();
      return;
    }
    this.count++;
    void readBody(response, OPTIONAL_BODY_MS).then(() => this.count--);
  }
}
