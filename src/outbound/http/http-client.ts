import type { RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { version } from '../../../package.json';
import type { OutboundSettings } from '../../config/outbound-settings';
import { AddressGuard } from '../addresses/address-guard';
import { Agents } from './agents';
import type { SendScope } from '../send-scope';
import { exchange } from './exchange';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound-request';

/** A caller's name server can list thousands. */
const MAX_ADDRESSES = 4;
const MAX_HEADER_BYTES = 16 * 1_024;

/** Sends HTTP requests. Follows no redirect, and connects to checked addresses only, or where the operator says. */
export class HttpClient {
  private readonly agents = new Agents();
  private readonly guard: AddressGuard;

  constructor(settings: OutboundSettings) {
    this.guard = new AddressGuard(settings);
  }

  /** @throws OutboundError */
  async post(request: OutboundRequest, scope: SendScope): Promise<OutboundResponse> {
    const url = URL.parse(request.url);
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw scope.error('blocked_address');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const agent = this.agents.get(url.protocol, request.needsNewConnection);
    const options = { ...requestOptions(url, host, request), agent };
    // Of a name that isn't checked, Node's lookup finds the addresses and tries them.
    const addresses = request.isTrusted ? [host] : await this.guard.addressesOf(host, scope);
    return sendToFirst(addresses.slice(0, MAX_ADDRESSES), options, request, scope);
  }

  destroy(): void {
    this.agents.destroy();
  }
}

function requestOptions(url: URL, host: string, { headers, body }: OutboundRequest): RequestOptions {
  return {
    protocol: url.protocol,
    port: url.port,
    path: url.pathname + url.search,
    auth: url.username || url.password ? urlToHttpOptions(url).auth : undefined,
    method: 'POST',
    headers: {
      ...headers,
      Host: url.host,
      'User-Agent': `frontdesk/${version}`,
      'Accept-Encoding': 'identity',
      'Content-Length': Buffer.byteLength(body),
    },
    // For SNI, without the root's dot (RFC 6066 3), and for the certificate. Empty: the certificate is checked against the address.
    servername: isIP(host) ? '' : host.replace(/\.$/, ''),
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  };
}

/** Goes on to the next address while there is no connection: nothing has been written then. */
async function sendToFirst(
  [hostname, ...others]: readonly string[],
  options: RequestOptions,
  request: OutboundRequest,
  scope: SendScope,
): Promise<OutboundResponse> {
  if (others.length === 0) return exchange({ ...options, hostname }, request, scope);
  try {
    return await exchange({ ...options, hostname }, request, scope, scope.remainingMs / (others.length + 1));
  } catch (error) {
    if (!(error instanceof OutboundError) || error.failure !== 'unreachable') throw error;
    return sendToFirst(others, options, request, scope);
  }
}
