import type { EventEmitter } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import { TLSSocket } from 'node:tls';
import {
  isNameError,
  isTlsError,
  type OutboundFailure,
  type OutboundRequest,
  type OutboundResponse,
  type SendScope,
} from './outbound-request';

/** Node skips interim responses; a status below 200 is then a 101 without `Upgrade`, or invalid. */
const MIN_FINAL_STATUS = 200;
/** Node doesn't limit interim responses, empty lines, spaces before a header's value, or what frames chunks. */
const MAX_INTERIM_RESPONSES = 8;
const MAX_BYTES_BEFORE = 64 * 1_024;
const MAX_BODY_BYTES = 64 * 1_024;
const MAX_BYTES_WITH_FRAMES = 2 * MAX_BODY_BYTES;
const PROMPT_MS = 1_000;
/** Of a process. Their deliveries have ended, so no slot bounds them. */
const MAX_DRAINED = 64;

export interface ExchangeOptions {
  readonly drain: Drain;
  /** Caps the TCP connect, to leave time for the next address. */
  readonly connectMs?: number;
}

/** Sends one request to one address. @throws OutboundError */
export async function exchange(
  options: RequestOptions,
  sent: OutboundRequest,
  scope: SendScope,
  { drain, connectMs }: ExchangeOptions,
): Promise<OutboundResponse> {
  scope.throwIfEnded();
  const request = httpRequest(options);
  const failure = failureOf(request, scope);
  const untilFailure = <T>(work: Promise<T>) => scope.untilEnd(Promise.race([work, failure]));
  try {
    whenConnected(request, connectMs, () => {
      if (scope.startWriting()) request.end(sent.body); // Node holds the headers back until now
    });
    const response = await untilFailure(next<IncomingMessage>(request, 'response'));
    const { statusCode: status = 0, headers } = response;
    if (status < MIN_FINAL_STATUS) throw scope.error('not_http');
    if (sent.readsBody(status)) {
      const isNeeded = sent.needsWholeBody || status < 300; // a refusal's body may only add how long to wait
      const body = isNeeded ? untilFailure(readBody(response, scope)) : readBodyIfPrompt(response, scope);
      return { status, headers, body: await body };
    }
    drain.read(response);
    return { status, headers, body: '' };
  } catch (error) {
    request.destroy();
    throw error;
  }
}

/** Rejects when the request fails, no final response comes, or the receiver upgrades unasked (RFC 9110 15.2.2). */
function failureOf(request: ClientRequest, scope: SendScope): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    let hasTls = false;
    request.once('socket', (socket) => {
      const connected = () => (hasTls = socket instanceof TLSSocket);
      if (request.reusedSocket) connected();
      else socket.once('connect', connected);
    });
    request.on('error', ({ code }: NodeJS.ErrnoException) => reject(scope.error(outcomeOf(code, hasTls, scope.isWritten))));
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(scope.error('not_http'));
    });
    limitBytes(request, () => reject(scope.error('not_http')));
  });
  failure.catch(() => undefined); // nothing awaits it after the response
  return failure;
}

/** Calls `exceed` for too much before the final response, and closes the connection for too much after it. */
function limitBytes(request: ClientRequest, exceed: () => void): void {
  let [responses, bytes] = [0, 0];
  let response: IncomingMessage | undefined;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (response && bytes > MAX_BYTES_WITH_FRAMES) response.destroy();
    if (!response && bytes > MAX_BYTES_BEFORE) exceed();
  };
  request.once('socket', (socket) => {
    socket.on('data', count); // after the parser's listener
    request.once('response', (final) => {
      [response, bytes] = [final, 0];
      final.once('close', () => socket.off('data', count));
    });
  });
  request.on('information', () => {
    if (++responses > MAX_INTERIM_RESPONSES) exceed();
  });
}

function outcomeOf(code = '', hasTls: boolean, isWritten: boolean): OutboundFailure {
  if (code.startsWith('HPE_')) return 'not_http'; // the parser's errors
  if (isNameError(code)) return 'unresolved';
  if (hasTls && isTlsError(code)) return 'tls_error';
  return isWritten ? 'no_answer' : 'unreachable';
}

/** Waits for the connection and, with TLS, for the handshake. */
function whenConnected(request: ClientRequest, milliseconds: number | undefined, write: () => void): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket) return write();
    const timer = milliseconds === undefined ? undefined : setTimeout(() => request.destroy(), milliseconds).unref();
    socket.once('connect', () => clearTimeout(timer));
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', write);
  });
}

function next<T>(emitter: EventEmitter, event: string): Promise<T> {
  return new Promise((resolve) => emitter.once(event, resolve));
}

/**
 * At most 64 KiB of the body; the connection of a longer one is closed.
 * @throws OutboundError when the connection ends first
 */
export async function readBody(response: IncomingMessage, scope: SendScope): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BODY_BYTES) break; // destroys the stream
    }
  } catch {
    throw scope.error('no_answer');
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString();
}

/** The body, or an empty string if it is cut off or slow. */
async function readBodyIfPrompt(response: IncomingMessage, scope: SendScope): Promise<string> {
  const timer = setTimeout(() => response.destroy(), Math.min(PROMPT_MS, scope.remainingMs));
  const body = await readBody(response, scope).catch(() => '');
  clearTimeout(timer);
  return body;
}

/** Reads unwanted bodies in the background, so that their connections can be kept, and closes those of long or slow ones. */
export class Drain {
  private count = 0;

  read(response: IncomingMessage): void {
    response.on('error', () => undefined);
    if (this.count === MAX_DRAINED) {
      response.destroy();
      return;
    }
    this.count++;
    const timer = setTimeout(() => response.destroy(), PROMPT_MS);
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) response.destroy();
    });
    response.once('close', () => {
      this.count--;
      clearTimeout(timer);
    });
  }
}
