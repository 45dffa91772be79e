import type { RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { version } from '../../../package.json';
import { parseNetworks, type Subnet } from '../common/hosts';
import { Clock } from '../common/clock';
import { type HttpTarget, Network } from '../common/network';
import { Config } from '../config/config';
import { addressesOf } from './addresses';
import { Agents } from './agents';
import { Drain, exchange } from './http-exchange';
import {
  type MailResponse,
  OutboundError,
  type OutboundMail,
  type OutboundRequest,
  type OutboundResponse,
  type SendOptions,
  OutboundCall,
} from './outbound-request';

/** Addresses tried per request; a client's name server can return thousands. */
const MAX_ADDRESSES = 4;
const MAX_HEADER_BYTES = 16 * 1_024;

/** The agents pass `sending` and `wording` on to the network. */
type ConnectOptions = RequestOptions & Pick<HttpTarget, 'sending' | 'wording'>;

/** Sends all outgoing HTTP requests and emails. Connects only to checked addresses, and to servers that the configuration names. */
@Injectable()
export class Outbound implements OnApplicationShutdown {
  private readonly agents: Agents;
  private readonly drain = new Drain();
  private readonly dnsOptions: { networks: Subnet[]; dnsServers: readonly string[]; network: Network };

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly network: Network,
  ) {
    this.agents = new Agents(network);
    this.dnsOptions = {
      networks: parseNetworks(config.outbound.allow),
      dnsServers: config.outbound.dnsServers,
      network,
    };
  }

  /** Doesn't follow redirects. @throws OutboundError */
  post(request: OutboundRequest, options: SendOptions): Promise<OutboundResponse> {
    return this.runCall(options, async (call) => {
      const url = URL.parse(request.url);
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw call.error('blocked_address');
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const agent = this.agents.get(url.protocol, request.needsNewConnection);
      // A trusted name is not checked: Node resolves it and tries each address.
      const addresses = request.isTrusted ? [host] : await addressesOf(host, this.dnsOptions, call);
      return this.sendToFirstReachable(
        addresses.slice(0, MAX_ADDRESSES),
        { ...requestOptions(url, host, request), agent, sending: options.sending, wording: request.wording },
        request,
        call,
      );
    });
  }

  /** Sends through SMTP_URL, which must be set. @throws OutboundError */
  async mail(mail: OutboundMail, options: SendOptions): Promise<MailResponse> {
    const account = this.config.channels.smtp;
    if (!account) throw new Error('Mail needs SMTP_URL.');
    const { REPLY_TIMEOUT_MS, sendMail } = await import('./smtp-client.js'); // loads nodemailer, half a megabyte of source
    return this.runCall({ ...options, deadlineMs: REPLY_TIMEOUT_MS }, (call) => sendMail(this.network, account, mail, call));
  }

  onApplicationShutdown(): void {
    this.agents.destroy();
  }

  private async runCall<T>(options: SendOptions, work: (call: OutboundCall) => Promise<T>): Promise<T> {
    const call = new OutboundCall(options, this.clock);
    try {
      call.throwIfEnded();
      return await work(call);
    } finally {
      call.close();
    }
  }

  /** Tries the next address until one connects; until then, nothing has been written. */
  private async sendToFirstReachable(
    [hostname, ...others]: readonly string[],
    options: ConnectOptions,
    request: OutboundRequest,
    call: OutboundCall,
  ): Promise<OutboundResponse> {
    const connectMs = others.length === 0 ? undefined : call.remainingMs / (others.length + 1);
    try {
      return await exchange({ ...options, hostname }, request, call, { drain: this.drain, connectMs });
    } catch (error) {
      if (others.length === 0 || !(error instanceof OutboundError) || error.failure !== 'unreachable') throw error;
      return this.sendToFirstReachable(others, options, request, call);
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
    // For SNI, without a trailing dot (RFC 6066 3), and for the certificate, which is checked against the address if this is empty.
    servername: isIP(host) ? '' : host.replace(/\.$/, ''),
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  };
}
