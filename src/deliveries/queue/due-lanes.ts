import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { Dialect, type RowValues, type Value } from '../../database/dialect';
import { LANES_OF_ACCOUNT } from './delivery-lane.entity';
import { inFairOrder, type Lane, slotUseOf } from './lane';
import { maxWaitOf } from './next-state';
import type { Slots } from './slots';

export type DueLane = Pick<Lane, 'name' | 'accountId' | 'isSlow' | 'lastMs' | 'inFlight'>;

export interface DueLanesFound {
  /** Lanes with a free slot, accounts with the fewest slots first. */
  lanes: DueLane[];
  /** Accounts with something due, as far as it was read. */
  accounts: Set<number>;
}

/** Lanes locked at once. */
const MAX_LANES = 64;
/** Read at once. With more than this due, accounts are read in turn, so that one's backlog doesn't hide the others'. */
const FEW = 256;
/** Per cycle, accounts asked whether anything is due, those read of them, and lanes read of each. */
const [ASKED, ACCOUNTS, OF_ACCOUNT] = [1_000, 64, 4];

const COLUMNS = 'lane, account_id, is_slow, last_ms';
const DUE = 'FROM delivery_lanes WHERE is_slow = ? AND available';
/** With those that only a clock that was ahead can have set. */
const FIND_FIRST = `SELECT * FROM (SELECT ${COLUMNS} ${DUE} <= ? ORDER BY available LIMIT ${FEW}) due
  UNION ALL SELECT * FROM (SELECT ${COLUMNS} ${DUE} > ? ORDER BY available LIMIT ${MAX_LANES}) ahead`;
const FIND_NEXT = 'SELECT MIN(available) FROM delivery_lanes WHERE is_slow = ? AND available >= 0';

/** Chooses among due lanes. The rows and statements of a choice are bounded, whatever is due. */
@Injectable()
export class DueLanes {
  /** The account that was read last, of prompt lanes and of slow ones. */
  private readonly positions: [number, number] = [0, 0];

  /** The oldest of an account. MariaDB would find them among all that are due. */
  private readonly ofAccount = `FROM delivery_lanes ${this.dialect.forceIndex(LANES_OF_ACCOUNT)}
    WHERE is_slow = ? AND available <= ? AND account_id`;
  // Unordered: MySQL 9.7 would sort an account's due lanes to find the first.
  private readonly findAccounts = `SELECT id, (SELECT 1 ${this.ofAccount} = accounts.id LIMIT 1)
    FROM accounts WHERE id > ? ORDER BY id LIMIT ${ASKED}`;
  private readonly findOfAccount = `SELECT * FROM
    (SELECT ${COLUMNS} ${this.ofAccount} = ? ORDER BY available LIMIT ${OF_ACCOUNT}) of_account`;

  constructor(
    private readonly dialect: Dialect,
    private readonly config: Config,
  ) {}

  /** When the next lane is due that could start an attempt; undefined when nothing is pending. */
  async next(slots: Slots): Promise<number | undefined> {
    const times: number[] = [];
    for (const isSlow of speedsFor(slots)) {
      const [[available]] = await this.dialect.read(FIND_NEXT, [isSlow]);
      if (available !== null) times.push(Number(available));
    }
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  async find(slots: Slots, now: number): Promise<DueLanesFound> {
    if (slots.isFull) return { lanes: [], accounts: new Set() };
    const rows: RowValues[] = [];
    for (const isSlow of speedsFor(slots)) rows.push(...(await this.read(isSlow, now)));
    const due = [...new Map(rows.map(toDueLane).map((lane) => [lane.name, lane])).values()];
    const accounts = new Set(due.map(({ accountId }) => accountId));
    const plan = slots.copy(accounts);
    const lanes = inFairOrder(due, slots).filter((lane) => plan.tryTake(lane.accountId, slotUseOf(lane)));
    return { lanes: lanes.slice(0, MAX_LANES), accounts };
  }

  private async read(isSlow: 0 | 1, now: number): Promise<RowValues[]> {
    const first = await this.dialect.read(FIND_FIRST, [isSlow, now, isSlow, now + maxWaitOf(this.config.deliveries.waitsMs)]);
    return first.length < FEW ? first : [...(await this.readNextAccounts(isSlow, now)), ...first];
  }

  private async readNextAccounts(isSlow: 0 | 1, now: number): Promise<RowValues[]> {
    const asked = await this.dialect.read(this.findAccounts, [isSlow, now, this.positions[isSlow]]);
    const due = asked.filter(([, isDue]) => isDue !== null).slice(0, ACCOUNTS);
    const last = due.length === ACCOUNTS ? due[due.length - 1] : asked.length === ASKED ? asked[asked.length - 1] : [0];
    this.positions[isSlow] = Number(last[0]);
    if (due.length === 0) return [];
    const values = due.flatMap(([id]): Value[] => [isSlow, now, id]);
    return this.dialect.read(due.map(() => this.findOfAccount).join(' UNION ALL '), values);
  }
}

/** Slow lanes wait unread while no slot is free for them. */
function speedsFor({ hasRoomForSlow }: Slots): (0 | 1)[] {
  return hasRoomForSlow ? [0, 1] : [0];
}

function toDueLane([name, accountId, isSlow, lastMs]: RowValues): DueLane {
  return {
    ...{ name: String(name), accountId: Number(accountId), isSlow: Number(isSlow) === 1 },
    ...{ lastMs: lastMs === null ? null : Number(lastMs), inFlight: 0 },
  };
}
