import type { IncomingMessage } from 'node:http';
import { MAX_HOST_LENGTH, withoutDot } from '../platform/common/hosts';
import { type EdgeAnswer, type EdgeRequest, errorAnswer, WRONG_METHOD } from './answers';

type RequestLine = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion'>;

/** The headers that the edge reads. */
interface RequestHeaders {
  /** The first Host header. */
  host?: string;
  hostCount: number;
  /** X-Request-Id; undefined when there are several. */
  requestId?: string;
  /** Undefined when there are several. */
  traceparent?: string;
  /** Whether the request came through a proxy. */
  isProxied: boolean;
  /** Whether an unread body follows. */
  hasBody: boolean;
}

const PROXY_HEADERS = ['via', 'forwarded', 'x-forwarded-for'];
const HOST_CHARACTERS = /^[A-Za-z0-9.-]+$/; // tested before toLowerCase, which turns a Kelvin sign into a k
const PORT = /:\d*$/;
const ASK_PATH = '/.frontdesk/ask';
const BAD_VERSION = errorAnswer(400, 'Bad request', 'A request must be HTTP/1.1 or HTTP/1.0.');
const BAD_HOST = errorAnswer(400, 'Bad request', 'A request must have exactly one Host header.');

/** Reads raw headers, alternating names and values: node:http's `headers` hides a second Host. */
export function readHeaders(rawHeaders: readonly string[]): RequestHeaders {
  const read: RequestHeaders = { hostCount: 0, isProxied: false, hasBody: false };
  let idCount = 0;
  let traceCount = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (name === 'host') {
      if (read.hostCount++ === 0) read.host = rawHeaders[index + 1];
    } else if (name === 'x-request-id') read.requestId = idCount++ === 0 ? rawHeaders[index + 1] : undefined;
    else if (name === 'traceparent') read.traceparent = traceCount++ === 0 ? rawHeaders[index + 1] : undefined;
    else if (PROXY_HEADERS.includes(name)) read.isProxied = true;
    else if (name === 'transfer-encoding' || (name === 'content-length' && rawHeaders[index + 1] !== '0')) read.hasBody = true;
  }
  return read;
}

/** The request, or the answer that refuses it. */
export function parseRequest({ method, url = '', httpVersion }: RequestLine, headers: RequestHeaders): EdgeRequest | EdgeAnswer {
  if (method !== 'GET' && method !== 'HEAD') return WRONG_METHOD;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return BAD_VERSION;
  if (headers.hostCount > 1 || (headers.hostCount === 0 && httpVersion === '1.1')) return BAD_HOST; // RFC 9112, 3.2
  const target = url.startsWith('/') ? url : withoutAuthority(url);
  const queryStart = target.indexOf('?');
  const path = queryStart < 0 ? target : target.slice(0, queryStart);
  if (path === ASK_PATH && !headers.isProxied) return { host: askedHost(target.slice(path.length + 1)), asksFor: 'certificate' };
  return { host: parseHostHeader(headers.host ?? ''), asksFor: path === '/' ? 'index' : 'other path' };
}

export function isAnswer(read: EdgeRequest | EdgeAnswer): read is EdgeAnswer {
  return 'status' in read;
}

/** The path and query of an absolute-form target (RFC 9112, 3.2.2), unchanged: a URL parser would turn `/.` into `/`. */
function withoutAuthority(url: string): string {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === url ? rest : `/${rest}`;
}

/** The `domain` in the query; empty unless there is exactly one. */
function askedHost(query: string): string {
  const [domain = '', ...more] = new URLSearchParams(query).getAll('domain');
  return more.length === 0 ? normalizeHost(domain) : '';
}

/** The host in a Host header, without the port. */
function parseHostHeader(value: string): string {
  return normalizeHost(value.includes(':') ? value.replace(PORT, '') : value);
}

/** Converts to lower case, without a trailing dot. Returns an empty string if no domain can have this host. */
function normalizeHost(name: string): string {
  return name.length <= MAX_HOST_LENGTH + 1 && HOST_CHARACTERS.test(name) ? withoutDot(name.toLowerCase()) : '';
}
