import { getDomain } from 'tldts';

const MAX_AT_ONCE = 32;
const MAX_AT_ONCE_PER_ACCOUNT = 8;
const MAX_PER_SECOND = 50;
/** Keeps anybody from using this service to flood somebody's name servers. */
const MAX_PER_SECOND_PER_DOMAIN = 5;
const SECOND_MS = 1_000;

/** Limits this process's checks, concurrent and per second. Times are those of the monotonic clock. */
export class LookLimits {
  private readonly atWork = new Map<number, number>();
  private total = 0;
  private recent: { time: number; domain: string }[] = [];

  /** Free slots. */
  room(now: number): number {
    this.forget(now);
    return Math.max(0, Math.min(MAX_AT_ONCE - this.total, MAX_PER_SECOND - this.recent.length));
  }

  /** Takes a slot; false if this account or this registrable domain has none left. */
  tryTake(accountId: number, host: string, now: number): boolean {
    const domain = registrableDomain(host);
    const ofAccount = this.atWork.get(accountId) ?? 0;
    if (this.room(now) === 0 || ofAccount === MAX_AT_ONCE_PER_ACCOUNT) return false;
    if (this.recent.filter((look) => look.domain === domain).length >= MAX_PER_SECOND_PER_DOMAIN) return false;
    this.recent.push({ time: now, domain });
    this.atWork.set(accountId, ofAccount + 1);
    this.total++;
    return true;
  }

  release(accountId: number): void {
    const left = this.atWork.get(accountId)! - 1;
    if (left > 0) this.atWork.set(accountId, left);
    else this.atWork.delete(accountId);
    this.total--;
  }

  private forget(now: number): void {
    this.recent = this.recent.filter(({ time }) => time <= now && now - time < SECOND_MS);
  }
}

/** By the public suffix list, private suffixes such as github.io included; where that knows none, the last two labels. */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host.split('.').slice(-2).join('.');
}
