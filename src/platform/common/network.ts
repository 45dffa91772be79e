import { promises as dns } from 'node:dns';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';

export interface SentMail {
  subject: string;
  text: string;
  wording: object;
}

export interface HttpTarget {
  protocol?: string | null;
  host?: string | null;
  /** Name of the host; empty for an address. */
  servername?: string;
  /** The sender's description of what it sends. Read only by the sandbox's network, which records it. */
  sending?: object;
  /** What the recipient sees. Read only by the sandbox's network. */
  wording?: object;
}

export type NameResolver = Pick<
  dns.Resolver,
  'cancel' | 'getServers' | 'resolve4' | 'resolve6' | 'resolveCname' | 'resolveTxt' | 'setServers'
>;

export const TLS_HANDSHAKE = {
  // No finite-field Diffie-Hellman: the server chooses its size, and the handshake blocks the event loop (10,000 bits: 0.5 s).
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
};

/** Sockets and name servers. A provider, so that the sandbox can replace one application's network. */
@Injectable()
export class Network {
  /** Opens connections for HTTP agents. If undefined, they use Node's default. */
  readonly connectHttp?: (target: HttpTarget) => Duplex;

  connectMail(port: number, host: string, _sending?: object, _mail?: SentMail): Socket {
    return connect(port, host);
  }

  /** Opens a TLS connection to a domain's address, to read its certificate. */
  connectTls(options: ConnectionOptions): TLSSocket {
    return connectTls({ ...TLS_HANDSHAKE, ...options });
  }

  resolver(options?: { timeout: number; tries: number }): NameResolver {
    return new dns.Resolver(options);
  }
}
