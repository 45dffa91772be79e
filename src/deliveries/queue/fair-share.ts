import type { Lane } from './lane';

/** Places that stay free for other accounts' next delivery, however much one account has due: a place may be held for 10 s. */
const RESERVED = 1 / 4;

/** Places in use, by account. */
export type InUse = ReadonlyMap<number, number>;

/** What a turn may claim. */
export interface ClaimLimits {
  places: number;
  inUse: InUse;
  /** Deliveries that may be claimed before they have a place. */
  ahead: number;
  /** Whether a lane's deliveries may be claimed ahead. */
  isFast(laneName: string): boolean;
}

/** The most places an account may use: half, while another has something due. */
export function placesFor(accountId: number, places: number, dueAccounts: ReadonlySet<number>): number {
  const isAlone = dueAccounts.size === 0 || (dueAccounts.size === 1 && dueAccounts.has(accountId));
  return Math.max(1, Math.floor(places * (isAlone ? 1 - RESERVED : 1 / 2)));
}

/** Shares a process's places among the accounts that have something due. */
export class FairShare {
  private readonly inUse: Map<number, number>;
  private free: number;
  private ahead: number;

  constructor(
    private readonly limits: ClaimLimits,
    private readonly dueAccounts: ReadonlySet<number>,
  ) {
    this.inUse = new Map(limits.inUse);
    this.free = limits.places - [...this.inUse.values()].reduce((sum, used) => sum + used, 0);
    this.ahead = limits.ahead;
  }

  tryTake({ accountId, name }: Pick<Lane, 'accountId' | 'name'>): boolean {
    const used = this.inUse.get(accountId) ?? 0;
    if (this.free > 0 && used < placesFor(accountId, this.limits.places, this.dueAccounts)) {
      this.inUse.set(accountId, used + 1);
      this.free--;
      return true;
    }
    if (this.ahead <= 0 || !this.limits.isFast(name)) return false;
    this.ahead--;
    return true;
  }
}
