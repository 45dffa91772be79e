import { EventEmitter } from 'node:events';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../platform/common/clock';
import { DAY_MS } from '../../platform/common/time';
import type { TlsAnswer } from './sandbox.dto';

const CERTIFICATE_LIFE_DAYS = 90;

/** The TLS certificates that domains in a sandbox present. By default, every host has a valid one. */
export class Certificates {
  private readonly answers = new Map<string, TlsAnswer>();

  constructor(private readonly clock: Clock) {}

  set(host: string, answer: TlsAnswer): void {
    this.answers.set(host.toLowerCase(), answer);
  }

  reset(): void {
    this.answers.clear();
  }

  /** A socket with the members that the certificate check uses. */
  connect(host: string): TLSSocket {
    const { days = 60, fault } = this.answers.get(host.toLowerCase()) ?? {};
    const name = fault === 'other_host' ? 'other.example' : host;
    const now = this.clock.now();
    const until = now + days * DAY_MS;
    const from = Math.min(now, until - CERTIFICATE_LIFE_DAYS * DAY_MS);
    const certificate = {
      subject: { CN: name },
      subjectaltname: `DNS:${name}`,
      issuer: { O: 'Sandbox', CN: 'R1' },
      valid_from: new Date(from).toUTCString(),
      valid_to: new Date(until).toUTCString(),
    };
    const untrusted = fault === 'untrusted' ? 'SELF_SIGNED_CERT_IN_CHAIN' : null;
    const socket = Object.assign(new EventEmitter(), {
      getPeerCertificate: () => certificate,
      destroy: () => undefined,
      authorizationError: days < 0 ? 'CERT_HAS_EXPIRED' : untrusted,
    });
    setImmediate(() => {
      if (fault === 'missing') socket.emit('error', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      else socket.emit('secureConnect');
    });
    return socket as unknown as TLSSocket;
  }
}
