import dns from 'node:dns';
import { Clock } from '../../../src/platform/common/clock';
import { Network } from '../../../src/platform/common/network';
import { Config } from '../../../src/platform/config/config';
import { Outbound } from '../../../src/platform/outbound/outbound';
import { OutboundError, type OutboundRequest, type SendOptions } from '../../../src/platform/outbound/outbound-request';

/** Long enough for a busy machine; `holdTimeouts` and `jest.advanceTimersByTime(DEADLINE_MS)` end it at once. */
export const DEADLINE_MS = 60_000;

const opened: Outbound[] = [];

/** An Outbound that may connect to 127.0.0.1. */
export function openOutbound(env: Record<string, string> = {}): Outbound {
  const outbound = new Outbound(new Config({ OUTBOUND_ALLOW: '127.0.0.1/32', ...env }), new Clock(), new Network());
  opened.push(outbound);
  return outbound;
}

export function closeOutbound(): void {
  for (const outbound of opened.splice(0)) outbound.onApplicationShutdown();
}

export function requestTo(url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest {
  const defaults = {
    wording: { title: '', text: '', url: '' },
    isTrusted: false,
    needsNewConnection: false,
    readsBody: () => false,
    needsWholeBody: (status: number) => status < 300,
  };
  return { url, headers: {}, body: '{}', ...defaults, ...changes };
}

export function sendOptions(changes: Partial<SendOptions> = {}): SendOptions {
  return { deadlineMs: DEADLINE_MS, mayWrite: () => true, abortSignal: new AbortController().signal, ...changes };
}

/** How a send failed, and whether it was written. */
export async function failureOf(sent: Promise<unknown>): Promise<[failure: string, isWritten: boolean]> {
  const error: unknown = await sent.then(
    () => new Error('was sent'),
    (reason) => reason as Error,
  );
  if (!(error instanceof OutboundError)) throw error;
  return [error.failure, error.isWritten];
}

/** The system resolver fails until the end of the test. */
export function failLookups(code: 'ENOTFOUND' | 'EAI_AGAIN'): void {
  const lookup = (_name: string, _options: object, done: (error: Error) => void) =>
    process.nextTick(done, Object.assign(new Error('getaddrinfo'), { code }));
  jest.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
}
