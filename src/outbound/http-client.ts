import { Agent as HttpsAgent, type AgentOptions, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import type { Duplex } from 'node:stream';
import { DEFAULT_CIPHERS } from 'node:tls';
import { version } from '../../package.json';
import type { OutboundSettings } from '../config/outbound-settings';
import { AddressGuard } from './addresses';
import { Drain, exchange } from './http-exchange';
import { OutboundError, type OutboundRequest, type OutboundResponse, type SendScope } from './outbound-request';

/** A caller's name server can list thousands. */
const MAX_ADDRESSES = 4;
const MAX_HEADER_BYTES = 16 * 1_024;

/** Sends HTTP requests, without following redirects. Connects only to checked addresses and to the operator's own servers. */
export class HttpClient {
  private readonly agents = new Agents();
  private readonly drain = new Drain();
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
    // For an unchecked name, Node looks up the addresses and tries each.
    const addresses = request.isTrusted ? [host] : await this.guard.addressesOf(host, scope);
    return this.sendToFirst(addresses.slice(0, MAX_ADDRESSES), options, request, scope);
  }

  destroy(): void {
    this.agents.destroy();
  }

  /** Tries the next address until one connects: nothing has been written before. */
  private async sendToFirst(
    [hostname, ...others]: readonly string[],
    options: RequestOptions,
    request: OutboundRequest,
    scope: SendScope,
  ): Promise<OutboundResponse> {
    const { drain } = this;
    if (others.length === 0) return exchange({ ...options, hostname }, request, scope, { drain });
    try {
      return await exchange({ ...options, hostname }, request, scope, { drain, connectMs: scope.remainingMs / (others.length + 1) });
    } catch (error) {
      if (!(error instanceof OutboundError) || error.failure !== 'unreachable') throw error;
      return this.sendToFirst(others, options, request, scope);
    }
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

/** Many servers, such as Node's and Apache's, close a connection that is idle for 5 s. */
const IDLE_MS = 4_000;
/** All Slack handlers, for example, share one server. */
const MAX_IDLE_PER_SERVER = 32;
const MAX_IDLE = 256;

/** Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect. Agents without `proxyEnv` use no proxy of the environment. */
const SINGLE_USE: AgentOptions = {
  rejectUnauthorized: true,
  // No finite-field Diffie-Hellman: the receiver chooses its size, and the handshake blocks the event loop (10,000 bits: 0.5 s).
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
};
const KEPT: AgentOptions = { ...SINGLE_USE, keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_PER_SERVER };

/** Connections to receivers, shared by requests with the same address, port and, with TLS, server name. */
export class Agents {
  private readonly kept = { 'http:': limitIdle(new HttpAgent(KEPT)), 'https:': limitIdle(new HttpsAgent(KEPT)) };
  private readonly singleUse = { 'http:': new HttpAgent(SINGLE_USE), 'https:': new HttpsAgent(SINGLE_USE) };

  get(protocol: 'http:' | 'https:', isSingleUse: boolean): HttpAgent {
    return (isSingleUse ? this.singleUse : this.kept)[protocol];
  }

  /** Closes all connections, including those in use. */
  destroy(): void {
    for (const agent of [this.kept, this.singleUse].flatMap((agents) => Object.values(agents))) agent.destroy();
  }
}

/** Node limits idle connections per server, but not their total, and reads without end what an idle one receives. */
function limitIdle(agent: HttpAgent): HttpAgent {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  const idle = () => Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex): boolean {
      const isKept = idle() < MAX_IDLE && keep(socket);
      if (isKept) socket.on('data', close);
      return isKept;
    },
    reuseSocket(socket: Duplex, request: ClientRequest): void {
      socket.off('data', close);
      reuse(socket, request);
    },
  });
}

function close(this: Duplex): void {
  this.destroy();
}
