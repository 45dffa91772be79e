import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { isAllowed, parseNetworks, type Subnet } from '../../platform/common/hosts';
import { Network } from '../../platform/common/network';
import { DAY_MS, timestamp } from '../../platform/common/time';
import { Config } from '../../platform/config/config';
import type { Certificate, Problem } from './domain-verification.entity';

/** Addresses tried per host. */
const MAX_ADDRESSES = 4;
/** Remaining life below which a certificate counts as expiring. Renewal is due long before: Caddy renews when a third is left. */
const [EXPIRING_MS, EXPIRING_SHARE] = [14 * DAY_MS, 1 / 4];
const MAX_ISSUER_LENGTH = 200;

/** Errors of this machine: it can't reach the network, such as IPv6 in many containers, or has no sockets left. */
const LOCAL_ERRORS = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EMFILE', 'ENFILE', 'ENOBUFS']);

const GET_CERTIFICATE = 'Let the proxy in front of the edge get one';
const GET_PUBLIC_CERTIFICATE = `${GET_CERTIFICATE} from a public authority.`;
const INCOMPLETE_CHAIN = [
  'comes without a chain to an authority that browsers know',
  'Serve the full chain, with the intermediate certificates (fullchain.pem).',
];
const SERVE_CURRENT_CHAIN = 'Serve the full chain that its authority issues now.';

/** What is wrong with a certificate's chain, and what to do, by OpenSSL's verification error. */
const CHAIN_PROBLEMS: Record<string, string[] | undefined> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE_CHAIN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE_CHAIN,
  SELF_SIGNED_CERT_IN_CHAIN: ['is not trusted by browsers', GET_PUBLIC_CERTIFICATE],
  CERT_HAS_EXPIRED: ['has an expired intermediate certificate in its chain', SERVE_CURRENT_CHAIN],
  CERT_NOT_YET_VALID: ['has an intermediate certificate in its chain that is not valid yet', SERVE_CURRENT_CHAIN],
};

export interface CertificateFinding {
  /** Null if the server presents none. */
  certificate: Certificate | null;
  problem?: Problem;
}

/** Checks the certificate that visitors of a host get, by a TLS handshake with no request after it. */
@Injectable()
export class CertificateCheck {
  private readonly networks: Subnet[];

  constructor(
    private readonly network: Network,
    config: Config,
    private readonly clock: Clock,
  ) {
    this.networks = parseNetworks(config.outbound.allow);
  }

  /** Whether a handshake is allowed: only with addresses that deliveries, too, may connect to. */
  mayRun(addresses: readonly string[]): boolean {
    return addresses.length > 0 && addresses.every((address) => isAllowed(address, this.networks));
  }

  /**
   * Checks the addresses concurrently, and prefers a finding with a problem. Undefined if not allowed; `unknown` if this machine can't
   * reach any.
   */
  async run(host: string, addresses: readonly string[], deadlineMs: number): Promise<CertificateFinding | 'unknown' | undefined> {
    if (!this.mayRun(addresses)) return undefined;
    const all = await Promise.all(addresses.slice(0, MAX_ADDRESSES).map((address) => this.checkAt(host, address, deadlineMs)));
    const found = all.filter((finding) => finding !== undefined);
    return found.find(({ problem }) => problem) ?? found.at(0) ?? 'unknown';
  }

  private async checkAt(host: string, address: string, deadlineMs: number): Promise<CertificateFinding | undefined> {
    // Verified below: a failed verification would end the connection before the certificate can be read.
    const options = { host: address, port: 443, servername: host, rejectUnauthorized: false };
    const socket = this.network.connectTls(options);
    try {
      const failure = await handshake(socket, deadlineMs);
      if (LOCAL_ERRORS.has(failure ?? '')) return undefined;
      if (failure !== undefined)
        return { certificate: null, problem: missingCertificate(failure, isAllowed(address, []) ? ` of ${address}` : '') };
      return this.assess(host, socket.getPeerCertificate(), socket.authorizationError as unknown as string | null);
    } catch {
      // A malformed certificate must not fail the domain's check: Node throws for some names, and returns nothing for some certificates.
      return { certificate: null, problem: wrongCertificate("can't be read", `${GET_CERTIFICATE} for this host.`) };
    } finally {
      socket.destroy();
    }
  }

  private assess(host: string, presented: PeerCertificate, fault: string | null): CertificateFinding {
    const [from, until] = [Date.parse(presented.valid_from), Date.parse(presented.valid_to)];
    if (Number.isNaN(from)) throw new Error('The certificate has no start date.'); // without an end date, timestamp() throws
    const certificate = { issuer: issuerOf(presented), expires: timestamp(until) };
    const left = until - this.clock.now();
    const fails = (how: string, what: string) => ({ certificate, problem: wrongCertificate(how, what) });
    if (checkServerIdentity(host, presented)) return fails(`is not for ${host}`, `${GET_CERTIFICATE} for this host.`);
    // Without a subject alternative name, Node accepts the common name (RFC 2818); browsers haven't since 2017.
    if (checkServerIdentity(host, { ...presented, subject: {} }))
      return fails(
        `has ${host} only as common name, which browsers ignore`,
        `${GET_CERTIFICATE} with the host as subject alternative name.`,
      );
    if (from > this.clock.now()) {
      const what = `until then, visitors get a warning. ${GET_CERTIFICATE} that is valid, and check the clocks.`;
      return { certificate, problem: expiringCertificate(`is not valid before ${timestamp(from)} UTC: ${what}`) };
    }
    if (fault === 'DEPTH_ZERO_SELF_SIGNED_CERT' && left > 0) return fails('is self-signed', GET_PUBLIC_CERTIFICATE);
    if (fault !== null && left > 0) {
      const [how, what] = CHAIN_PROBLEMS[fault] ?? ['is not trusted by browsers', `Verification says ${fault}.`];
      return fails(`of ${certificate.issuer} ${how}`, what);
    }
    if (left >= Math.min(EXPIRING_MS, (until - from) * EXPIRING_SHARE)) return { certificate };
    const how = `${left > 0 ? 'expires' : 'expired'} at ${certificate.expires} UTC: its renewal is overdue.`;
    return { certificate, problem: expiringCertificate(how) };
  }
}

/** Resolves once the handshake is over, to undefined or to the reason for its failure. */
function handshake(socket: TLSSocket, deadlineMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('no answer'), deadlineMs);
    const end = (failure?: string) => {
      clearTimeout(timer);
      resolve(failure);
    };
    socket.once('secureConnect', () => end());
    socket.once('close', () => end('the connection was closed'));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => end(/^(ERR_SSL|EPROTO|$)/.test(code) ? 'the handshake failed' : code));
  });
}

function missingCertificate(failure: string, where: string): Problem {
  const detail = `There is no TLS at port 443${where} (${failure}). Let the proxy in front of the edge get a certificate.`;
  return { code: 'certificate_missing', detail };
}

function wrongCertificate(how: string, what: string): Problem {
  return { code: 'certificate_differs', detail: `The certificate ${how}: visitors get a warning. ${what}` };
}

function expiringCertificate(how: string): Problem {
  return { code: 'certificate_expiring', detail: `The certificate ${how}` };
}

/** The issuer's name, which the server chooses: shortened, and without control characters. */
function issuerOf({ issuer }: PeerCertificate): string {
  const names = [issuer?.O, issuer?.CN].flat().filter((name) => typeof name === 'string');
  return [...new Set(names)].join(', ').replace(/\p{C}/gu, '').slice(0, MAX_ISSUER_LENGTH) || 'unknown';
}
