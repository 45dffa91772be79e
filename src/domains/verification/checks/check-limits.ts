import { getDomain } from 'tldts';
import { AccountSlots } from '../../../common/concurrency';
import { SECOND_MS } from '../../../common/time';

const MAX_AT_ONCE = 32;
const MAX_AT_ONCE_PER_ACCOUNT = 8;
const MAX_PER_SECOND = 50;
/** Keeps callers from using this service to flood someone's name servers. */
const MAX_PER_SECOND_PER_DOMAIN = 5;

/** Limits this process's checks, concurrent and per second. Times are monotonic. */
export class CheckLimits {
  private readonly slots = new AccountSlots(MAX_AT_ONCE, MAX_AT_ONCE_PER_ACCOUNT);
  private recent: { time: number; domain: string }[] = [];

  /** Free slots. */
  room(now: number): number {
    this.recent = this.recent.filter(({ time }) => time <= now && now - time < SECOND_MS);
    return Math.max(0, Math.min(MAX_AT_ONCE - this.slots.inUse, MAX_PER_SECOND - this.recent.length));
  }

  /** Takes a slot; false if this account or this registrable domain has none left. */
  tryTake(accountId: number, host: string, now: number): boolean {
    if (this.room(now) === 0) return false;
    const domain = registrableDomain(host);
    if (this.recent.filter((check) => check.domain === domain).length >= MAX_PER_SECOND_PER_DOMAIN) return false;
    if (!this.slots.tryAcquire(accountId)) return false;
    this.recent.push({ time: now, domain });
    return true;
  }

  release(accountId: number): void {
    this.slots.release(accountId);
  }
}

/** By the public suffix list, including private suffixes such as github.io; otherwise the last two labels. */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host.split('.').slice(-2).join('.');
}
