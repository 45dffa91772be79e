import { Injectable } from '@nestjs/common';
import { notBeyond } from '../../common/time';
import { Config } from '../../config/config';
import type { SqlExecutor } from '../../database/dialect';
import { inList } from '../../database/value-lists';
import { type Claim, LEASE_MS } from './claim';
import { capacityOf, type Lane } from './lane';
import { maxWaitOf } from './next-state';

/** A pending delivery, as a claim finds it. */
export interface Pending extends Omit<Claim, 'lease' | 'started' | 'isOverLimit'> {
  nextAttempt: number;
  lease: string | null;
  started: number | null;
  isCounted: boolean;
}

/** What a lane has pending. */
export interface LanePending {
  lane: Lane;
  /** When the oldest lease began; infinite without one. */
  oldest: number;
  /** Those whose lease has ended. */
  lapsed: Pending[];
  /** The first of those without a lease, by due time. */
  waiting: Pending[];
}

const COLUMNS = 'id, account_id, message_id, handler_id, type, lane, attempts, tries, next_attempt, lease, begun, is_counted';
/** Per statement: SQLite limits the terms of a compound SELECT to 500. */
const LANES = 64;
const FIND_WAITING = `SELECT * FROM
  (SELECT ${COLUMNS} FROM deliveries WHERE lane = ? AND lease IS NULL AND next_attempt >= 0 ORDER BY next_attempt LIMIT ?) waiting`;
const COUNT_LEASED = "SELECT lane, COUNT(*), MIN(begun), MAX(begun) FROM deliveries WHERE lease > '' AND lane IN";
const RESTART_LEASES = "UPDATE deliveries SET begun = ? WHERE lease > '' AND begun > ? AND lane IN";
const FIND_LAPSED = `SELECT ${COLUMNS} FROM deliveries WHERE lease > '' AND begun <= ? AND lane IN`;

type PendingRow = [
  ...[id: number, accountId: number, messageId: number, handlerId: number, type: string, lane: string, attempts: number, tries: number],
  ...[nextAttempt: number, lease: string | null, started: number | null, isCounted: number],
];

/** Reads what locked lanes have pending. */
@Injectable()
export class PendingReader {
  constructor(private readonly config: Config) {}

  async read(statements: SqlExecutor, lanes: readonly Lane[], now: number): Promise<LanePending[]> {
    const found: LanePending[] = [];
    for (let start = 0; start < lanes.length; start += LANES)
      found.push(...(await this.readSome(statements, lanes.slice(start, start + LANES), now)));
    return found;
  }

  private async readSome(statements: SqlExecutor, lanes: readonly Lane[], now: number): Promise<LanePending[]> {
    const pending = new Map<string, LanePending>(lanes.map((lane) => [lane.name, { lane, oldest: Infinity, lapsed: [], waiting: [] }]));
    const { sql, values: names } = inList([...pending.keys()]);
    const leased = await statements.read<[lane: string, inFlight: number, oldest: number, newest: number]>(
      `${COUNT_LEASED} ${sql} GROUP BY lane`,
      names,
    );
    const counts = new Map(leased.map(([name, inFlight, oldest]) => [name, { inFlight, oldest }]));
    for (const each of pending.values()) {
      const { inFlight, oldest } = counts.get(each.lane.name) ?? { inFlight: 0, oldest: Infinity };
      each.oldest = oldest === Infinity ? oldest : notBeyond(oldest, now, LEASE_MS);
      each.lane.inFlight = inFlight;
    }
    // Whole leases, since their attempts may still be at work.
    if (leased.some(([, , , newest]) => newest > now + LEASE_MS))
      await statements.write(`${RESTART_LEASES} ${sql}`, [now, now + LEASE_MS, ...names]);
    await this.findLapsed(statements, pending, now);
    // One more than can be claimed: the next one's due time is the lane's. The names may repeat the last one.
    const limited = names.flatMap((name) => [name, capacityOf(pending.get(String(name))!.lane, now) + 1]);
    const waiting = await statements.read<PendingRow>(names.map(() => FIND_WAITING).join(' UNION ALL '), limited);
    const maxWait = maxWaitOf(this.config.deliveries.waitsMs);
    for (const delivery of new Map(waiting.map((row) => [row[0], toPending(row)])).values()) {
      delivery.nextAttempt = notBeyond(delivery.nextAttempt, now, maxWait);
      pending.get(delivery.lane)!.waiting.push(delivery);
    }
    return [...pending.values()];
  }

  private async findLapsed(statements: SqlExecutor, pending: ReadonlyMap<string, LanePending>, now: number): Promise<void> {
    const ended = now - LEASE_MS;
    const names = [...pending.values()].filter(({ oldest }) => oldest <= ended).map(({ lane }) => lane.name);
    if (names.length === 0) return;
    const { sql, values } = inList(names);
    for (const row of await statements.read<PendingRow>(`${FIND_LAPSED} ${sql}`, [ended, ...values])) {
      const delivery = toPending(row);
      pending.get(delivery.lane)!.lapsed.push(delivery);
    }
  }
}

function toPending(row: PendingRow): Pending {
  const [id, accountId, messageId, handlerId, type, lane, attempts, tries, nextAttempt, lease, started, isCounted] = row;
  const number = attempts + (lease === null ? 1 : 0);
  return { id, accountId, messageId, handlerId, type, lane, number, tries, nextAttempt, lease, started, isCounted: isCounted === 1 };
}
