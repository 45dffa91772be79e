import type { Lane } from './lane';
import type { Places } from './places';

/** What a turn may claim. */
export interface ClaimLimits {
  places: Places;
  /** Deliveries that may be claimed before they have a place. */
  ahead: number;
  /** Whether a lane's deliveries may be claimed ahead. */
  isFast(laneName: string): boolean;
  /** Whether its receiver answers so fast that many may be. */
  isInstant(laneName: string): boolean;
}

/** Shares a process's places among the accounts that have something due, in one try of a turn. */
export class FairShare {
  /** Lanes that found every place taken. */
  refused = 0;
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
    if (this.ahead > 0 && this.limits.isFast(name)) {
      this.ahead--;
      return true;
    }
    if (this.places.tryTake(accountId)) return true;
    if (this.places.isFull) this.refused++;
    return false;
  }
}
