import { type HostLookup, locationIn, UNAVAILABLE, UNKNOWN } from './live-hosts';

/** Outcomes of requests. `no_url`: a live domain without a URL for this path, or with one that points to itself. */
export const EDGE_OUTCOMES = ['index', 'not_found_url', 'no_url', 'unknown', 'ask_yes', 'ask_no', 'unavailable', 'refused'] as const;

export type Outcome = (typeof EDGE_OUTCOMES)[number];

export interface EdgeRequest {
  host: string;
  /** Whether the host may have a certificate, or where its `/` or any other path redirects. */
  asksFor: 'certificate' | 'index' | 'other path';
}

/** `headers` alternates names and values, without those that every response gets: Date, X-Request-Id, Connection. */
export interface Answer {
  outcome: Outcome;
  status: number;
  headers: readonly string[];
  body: string;
  /** Whether the response closes the connection. */
  closes?: boolean;
  /** Whether it answers the proxy's `ask`, which is logged at debug only. */
  isForProxy?: boolean;
}

const RETRY_AFTER = ['Retry-After', '5'];

/** A redirect reveals the page that was visited: send no Referer, forbid caching. */
const COMMON = ['Cache-Control', 'no-store', 'Referrer-Policy', 'no-referrer', 'X-Content-Type-Options', 'nosniff'];

const ASK_YES = { ...withoutBody('ask_yes', 200), isForProxy: true };
const ASK_NO = { ...withoutBody('ask_no', 404), isForProxy: true };
const ASK_UNAVAILABLE = { ...withoutBody('unavailable', 503, RETRY_AFTER), isForProxy: true };

const NOT_FOUND = pageOf('Not found', 'There is nothing at this address.');
const UNKNOWN_HOST = withPage('unknown', 404, NOT_FOUND);
/** The same bytes as for an unknown host, so that responses don't reveal which hosts are known. */
const NO_URL = withPage('no_url', 404, NOT_FOUND);
const TRY_LATER = withPage('unavailable', 503, pageOf('Not available', 'Please try again in a moment.'), RETRY_AFTER);
export const WRONG_METHOD = withPage('refused', 405, pageOf('Method not allowed', 'This address answers GET and HEAD.'), [
  'Allow',
  'GET, HEAD',
]);

export function answerTo({ asksFor }: EdgeRequest, found: HostLookup): Answer {
  const isAsk = asksFor === 'certificate';
  if (found === UNAVAILABLE) return isAsk ? ASK_UNAVAILABLE : TRY_LATER;
  if (found === UNKNOWN) return isAsk ? ASK_NO : UNKNOWN_HOST;
  if (isAsk) return ASK_YES;
  const isIndex = asksFor === 'index';
  const location = locationIn(found, isIndex);
  return location === '' ? NO_URL : redirectTo(location, isIndex ? 'index' : 'not_found_url');
}

/** Closes the connection: further bytes may be part of the refused request. */
export function refusal(status: number, title: string, text: string): Answer {
  return { ...withPage('refused', status, pageOf(title, text)), closes: true };
}

function redirectTo(location: string, outcome: Outcome): Answer {
  return withoutBody(outcome, 302, ['Location', location]);
}

function withoutBody(outcome: Outcome, status: number, headers: readonly string[] = []): Answer {
  return { outcome, status, headers: [...headers, ...COMMON, 'Content-Length', '0'], body: '' };
}

function withPage(outcome: Outcome, status: number, body: string, headers: readonly string[] = []): Answer {
  const ofPage = ['Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', "default-src 'none'"];
  return { outcome, status, headers: [...headers, ...ofPage, ...COMMON, 'Content-Length', String(Buffer.byteLength(body))], body };
}

/** A small plain page. Its constant texts need no escaping. */
function pageOf(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<p>${text}</p>
</html>
`;
}
