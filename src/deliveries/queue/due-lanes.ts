import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { Dialect } from '../../database/dialect';
import { DueRows, inFairOrder } from '../../jobs/due-rows';
import { LANES_OF_ACCOUNT } from './delivery-lane.entity';
import { type Lane, slotUseOf } from './lane';
import { maxWaitOf } from './next-state';
import type { Slots } from './slots';

export type DueLane = Pick<Lane, 'name' | 'accountId' | 'isSlow' | 'lastMs' | 'inFlight'>;

export interface DueLanesFound {
  /** Lanes with a free slot, accounts with the fewest slots first. */
  lanes: DueLane[];
  /** Accounts with something due, as far as it was read. */
  accounts: Set<number>;
}

type LaneColumns = [name: string, accountId: number, isSlow: number, lastMs: number | null];

/** Lanes locked at once. */
const MAX_LANES = 64;

/** Chooses among due lanes. Slow ones wait unread while no slot is free for them. */
@Injectable()
export class DueLanes {
  private readonly prompt = this.rows(0);
  private readonly slow = this.rows(1);

  constructor(
    private readonly dialect: Dialect,
    private readonly config: Config,
  ) {}

  /** When the next lane is due that could start an attempt; undefined when nothing is pending. */
  async next(slots: Slots): Promise<number | undefined> {
    let first: number | undefined;
    for (const rows of this.readableWith(slots)) {
      const next = await rows.next();
      first = Math.min(first ?? Infinity, next ?? Infinity);
    }
    return first === Infinity ? undefined : first;
  }

  async find(slots: Slots, now: number): Promise<DueLanesFound> {
    if (slots.isFull) return { lanes: [], accounts: new Set() };
    const due: DueLane[] = [];
    for (const rows of this.readableWith(slots)) due.push(...(await rows.find<LaneColumns>(now)).map(toDueLane));
    const accounts = new Set(due.map(({ accountId }) => accountId));
    const plan = slots.copy(accounts);
    const inOrder = inFairOrder(due, (accountId) => slots.usedBy(accountId));
    const lanes = inOrder.filter((lane) => plan.tryTake(lane.accountId, slotUseOf(lane)));
    return { lanes: lanes.slice(0, MAX_LANES), accounts };
  }

  private readableWith({ hasRoomForSlow }: Slots): DueRows[] {
    return hasRoomForSlow ? [this.prompt, this.slow] : [this.prompt];
  }

  private rows(isSlow: 0 | 1): DueRows {
    return new DueRows(this.dialect, {
      ...{ table: 'delivery_lanes', columns: 'lane, account_id, is_slow, last_ms', due: 'available', condition: `is_slow = ${isSlow}` },
      ...{ indexOfAccount: LANES_OF_ACCOUNT, ofAccount: 4, maxWaitMs: maxWaitOf(this.config.deliveries.waitsMs) },
    });
  }
}

function toDueLane([name, accountId, isSlow, lastMs]: LaneColumns): DueLane {
  return { name, accountId, isSlow: isSlow === 1, lastMs, inFlight: 0 };
}
