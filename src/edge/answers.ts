import { type HostLookup, locationIn, UNAVAILABLE, UNKNOWN } from './live-hosts';

/** Outcomes of requests. `no_url`: the live domain has no URL for this path, or one that points to itself. */
export const EDGE_OUTCOMES = ['index', 'not_found_url', 'no_url', 'unknown', 'ask_yes', 'ask_no', 'unavailable', 'refused'] as const;

export type EdgeOutcome = (typeof EDGE_OUTCOMES)[number];

export interface EdgeRequest {
  host: string;
  /** Whether the host may have a certificate, or where its `/` or any other path redirects. */
  asksFor: 'certificate' | 'index' | 'other path';
}

/** `headers` alternates names and values, without those that every response gets: Date, X-Request-Id, Connection. */
export interface EdgeAnswer {
  outcome: EdgeOutcome;
  status: number;
  headers: readonly string[];
  body: string;
  closesConnection?: boolean;
  /** Whether this answers the proxy's `ask`, which is logged only at level debug. */
  isForProxy?: boolean;
}

const RETRY_AFTER = ['Retry-After', '5'];

/** A redirect reveals the page that was visited: send no Referer, forbid caching. */
const COMMON_HEADERS = ['Cache-Control', 'no-store', 'Referrer-Policy', 'no-referrer', 'X-Content-Type-Options', 'nosniff'];

const CERTIFICATE_ALLOWED = { ...withoutBody('ask_yes', 200), isForProxy: true };
const CERTIFICATE_DENIED = { ...withoutBody('ask_no', 404), isForProxy: true };
const CERTIFICATE_UNAVAILABLE = { ...withoutBody('unavailable', 503, RETRY_AFTER), isForProxy: true };

const NOT_FOUND = renderPage('Not found', 'There is nothing at this address.');
const UNKNOWN_HOST = withPage('unknown', 404, NOT_FOUND);
/** The same bytes as for an unknown host, so that responses don't reveal which hosts are known. */
const NO_URL = withPage('no_url', 404, NOT_FOUND);
const TRY_LATER = withPage('unavailable', 503, renderPage('Not available', 'Please try again in a moment.'), RETRY_AFTER);
export const WRONG_METHOD = withPage('refused', 405, renderPage('Method not allowed', 'This address supports only GET and HEAD.'), [
  'Allow',
  'GET, HEAD',
]);

export function answerTo({ asksFor }: EdgeRequest, found: HostLookup): EdgeAnswer {
  const isAsk = asksFor === 'certificate';
  if (found === UNAVAILABLE) return isAsk ? CERTIFICATE_UNAVAILABLE : TRY_LATER;
  if (found === UNKNOWN) return isAsk ? CERTIFICATE_DENIED : UNKNOWN_HOST;
  if (isAsk) return CERTIFICATE_ALLOWED;
  const isIndex = asksFor === 'index';
  const location = locationIn(found, isIndex);
  return location === '' ? NO_URL : redirectTo(location, isIndex ? 'index' : 'not_found_url');
}

/** Closes the connection: further bytes may be part of the refused request. */
export function errorAnswer(status: number, title: string, text: string): EdgeAnswer {
  return { ...withPage('refused', status, renderPage(title, text)), closesConnection: true };
}

function redirectTo(location: string, outcome: EdgeOutcome): EdgeAnswer {
  return withoutBody(outcome, 302, ['Location', location]);
}

function withoutBody(outcome: EdgeOutcome, status: number, headers: readonly string[] = []): EdgeAnswer {
  return { outcome, status, headers: [...headers, ...COMMON_HEADERS, 'Content-Length', '0'], body: '' };
}

function withPage(outcome: EdgeOutcome, status: number, body: string, headers: readonly string[] = []): EdgeAnswer {
  const pageHeaders = ['Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', "default-src 'none'"];
  return {
    outcome,
    status,
    headers: [...headers, ...pageHeaders, ...COMMON_HEADERS, 'Content-Length', String(Buffer.byteLength(body))],
    body,
  };
}

/** A small plain page. Its constant texts need no escaping. */
function renderPage(title: string, text: string): string {
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
