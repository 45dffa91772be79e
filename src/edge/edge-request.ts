import { MAX_HOST_LENGTH, withoutDot } from '../common/hosts/host-name';
import { type Answer, type EdgeRequest, refusal, WRONG_METHOD } from './answers';

/** A request line, as node:http gives it. */
export interface RequestLine {
  method?: string;
  url?: string;
  httpVersion: string;
}

/** What the edge reads of a request's headers. */
export interface RequestHeaders {
  /** The first Host. */
  host?: string;
  hostCount: number;
  /** The first X-Request-Id; undefined when there are several. */
  requestId?: string;
  /** Whether it came through a proxy. */
  isProxied: boolean;
  /** Whether a body follows, which nobody reads. */
  hasBody: boolean;
}

const PROXY_HEADERS = ['via', 'forwarded', 'x-forwarded-for'];
const HOST_CHARACTERS = /^[A-Za-z0-9.-]+$/; // toLowerCase turns a Kelvin sign into a k
const PORT = /:\d*$/;
const ASK_PATH = '/.frontdesk/ask';
const BAD_VERSION = refusal(400, 'Bad request', 'A request must be HTTP/1.1 or HTTP/1.0.');
const BAD_HOST = refusal(400, 'Bad request', 'A request must have one Host.');

/** Of names and values in turns, as they came: node:http's own object hides a second Host. */
export function readHeaders(rawHeaders: readonly string[]): RequestHeaders {
  const read: RequestHeaders = { hostCount: 0, isProxied: false, hasBody: false };
  let idCount = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (name === 'host') {
      if (read.hostCount++ === 0) read.host = rawHeaders[index + 1];
    } else if (name === 'x-request-id') read.requestId = idCount++ === 0 ? rawHeaders[index + 1] : undefined;
    else if (PROXY_HEADERS.includes(name)) read.isProxied = true;
    else if (name === 'transfer-encoding' || (name === 'content-length' && rawHeaders[index + 1] !== '0')) read.hasBody = true;
  }
  return read;
}

/** The request, or the answer that refuses it. */
export function parseRequest({ method, url = '', httpVersion }: RequestLine, headers: RequestHeaders): EdgeRequest | Answer {
  if (method !== 'GET' && method !== 'HEAD') return WRONG_METHOD;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return BAD_VERSION;
  if (headers.hostCount > 1 || (headers.hostCount === 0 && httpVersion === '1.1')) return BAD_HOST; // RFC 9112, 3.2
  const target = url.startsWith('/') ? url : withoutAuthority(url);
  const queryStart = target.indexOf('?');
  const path = queryStart < 0 ? target : target.slice(0, queryStart);
  if (path === ASK_PATH && !headers.isProxied) return { host: askedHost(target.slice(path.length + 1)), isAsk: true, isIndex: false };
  return { host: hostOfHeader(headers.host ?? ''), isAsk: false, isIndex: path === '/' };
}

export function isAnswer(read: EdgeRequest | Answer): read is Answer {
  return 'status' in read;
}

/** The path and query of an absolute-form target (RFC 9112, 3.2.2), as they are: a URL parser would make / of /. */
function withoutAuthority(url: string): string {
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === url ? rest : `/${rest}`;
}

/** Empty unless the query names just one. */
function askedHost(query: string): string {
  const [domain = '', ...more] = new URLSearchParams(query).getAll('domain');
  return more.length === 0 ? hostOf(domain) : '';
}

/** The host in a Host header: without the port, as `hostOf`. */
function hostOfHeader(value: string): string {
  return hostOf(value.includes(':') ? value.replace(PORT, '') : value);
}

/** In lower case, without a dot at the end. Empty for what no domain can have. */
function hostOf(name: string): string {
  return name.length <= MAX_HOST_LENGTH + 1 && HOST_CHARACTERS.test(name) ? withoutDot(name.toLowerCase()) : '';
}
