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
