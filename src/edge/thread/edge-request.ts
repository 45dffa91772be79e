import {
  type Answer,
  ASK_NO,
  ASK_UNAVAILABLE,
  ASK_YES,
  NO_URL,
  redirectTo,
  refusal,
  TRY_LATER,
  UNKNOWN_HOST,
  WRONG_METHOD,
} from './answers';
import { locationIn } from './hosts/host-entry';
import { hostOf, hostOfHeader } from './hosts/host-name';
import { type Finding, UNAVAILABLE, UNKNOWN } from './hosts/host-queries';
import type { RequestHeaders } from './request-headers';

/** A request line, as node:http gives it. */
export interface RequestLine {
  method?: string;
  url?: string;
  httpVersion: string;
}

/** Asks whether a host may have a certificate (`isAsk`), or for where a path of it leads. */
export interface EdgeRequest {
  host: string;
  isAsk: boolean;
  isIndex: boolean;
}

const ASK_PATH = '/.frontdesk/ask';
const BAD_VERSION = refusal(400, 'Bad request', 'A request must be HTTP/1.1 or HTTP/1.0.');
const BAD_HOST = refusal(400, 'Bad request', 'A request must have one Host.');

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

export function answerTo({ isAsk, isIndex }: EdgeRequest, finding: Finding): Answer {
  if (finding === UNAVAILABLE) return isAsk ? ASK_UNAVAILABLE : TRY_LATER;
  if (finding === UNKNOWN) return isAsk ? ASK_NO : UNKNOWN_HOST;
  if (isAsk) return ASK_YES;
  const location = locationIn(finding, isIndex);
  return location === '' ? NO_URL : redirectTo(location, isIndex ? 'index' : 'not_found_url');
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
