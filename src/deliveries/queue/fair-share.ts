import type { Lane } from './lane';
import type { Places } from './places';

/** What a turn may claim. */
export interface ClaimLimits {
  places: Places;
  /** Deliveries that may be claimed before they have a place. */
  ahead: number;
  /** Whether a lane's deliveries may be claimed ahead. */
  isFast(laneName: string): boolean;
}

/** Shares a process's places among the accounts that have something due, in one try of a turn. */
export class FairShare {
  private readonly places: Places;
  private ahead: number;

  constructor(
    private readonly limits: ClaimLimits,
    dueAccounts: ReadonlySet<number>,
  ) {
    this.places = limits.places.copy(dueAccounts);
    this.ahead = limits.ahead;
  }

  tryTake({ accountId, name }: Pick<Lane, 'accountId' | 'name'>): boolean {
    if (this.places.tryTake(accountId)) return true;
    if (this.ahead <= 0 || !this.limits.isFast(name)) return false;
    this.ahead--;
    return true;
  }
}
