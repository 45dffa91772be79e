import { Injectable } from '@nestjs/common';
import { SECOND_MS, timestamp } from '../../platform/common/time';
import { Config } from '../../platform/config/config';
import { Dialect, type SqlExecutor, type Value } from '../../platform/database/dialect';
import { type Actor, byService } from '../../platform/database/events/event-log';
import { inList, insertRows } from '../../platform/database/value-lists';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { Quotas } from '../../platform/quotas/quotas';
import type { Outcome, Verdict } from '../channels/channel';
import type { DeliveryStatus } from '../delivery-status';
import type { EndReason } from '../delivery.entity';
import { Cancellation } from './cancellation';
import { type Claim, type AttemptResult, type FailedDelivery, hasResult, type Settlement } from './claim';
import { dailyQuota } from './delivery-limits';
import { DeliveryListeners, type EndedDelivery, type MessageEnd } from './delivery-listeners';
import { type Lane, applyEnding } from './lane';
import { nextStateOf } from './next-state';

const CLEAR_LEASE = 'lease = NULL, started = NULL, last_datetime = ?';
const FINISH = `UPDATE deliveries SET status = ?, outcome = ?, tries = tries + 1, next_attempt = NULL, expires_at = NULL, ${CLEAR_LEASE}
  WHERE id IN`;
const POSTPONE = (times: string) =>
  `UPDATE deliveries SET outcome = ?, tries = tries + 1, next_attempt = ${times}, ${CLEAR_LEASE} WHERE id IN`;
const RELEASE = `UPDATE deliveries SET attempts = attempts - 1, ${CLEAR_LEASE} WHERE id IN`;
const ATTEMPT_COLUMNS = ['account_id', 'delivery_id', 'number', 'datetime', 'duration_ms', 'outcome', 'status', 'detail'];
const EXPIRED: Verdict = { outcome: 'expired', isFinal: true, status: null, detail: 'The message expired.' };
/** Expired deliveries ended per transaction. */
const EXPIRED_PER_BATCH = 500;
/** How often a busy process checks whether messages that other processes created have expired. */
const EXPIRY_CHECK_MS = SECOND_MS;
const FROM_EXPIRING = 'FROM deliveries WHERE lease IS NULL AND next_attempt >= 0 AND expires_at';
const FIND_EXPIRED = `SELECT id, account_id, message_id, handler_id, type, event_id, attempts
  ${FROM_EXPIRING} <= ? ORDER BY expires_at LIMIT ${EXPIRED_PER_BATCH}`;

type ExpiredRow = [
  id: number,
  accountId: number,
  messageId: number,
  handlerId: number,
  type: string,
  eventId: string | null,
  attempts: number,
];

type LockedRow = [id: number, lease: string | null, reason: EndReason | null, keyId: number | null];

/** A settlement whose claim still has its lease. `end`: how its message ended early, if it did. */
interface HeldSettlement extends Settlement {
  end: MessageEnd | null;
}

/** An attempt that has ended, or a delivery that has expired. */
interface EndedAttempt extends FailedDelivery {
  claim: FailedDelivery['claim'] & Pick<Claim, 'number' | 'tries' | 'outcome' | 'started' | 'until'>;
  ending: AttemptResult;
  end: MessageEnd | null;
}

/** Deliveries with the same new status and outcome. `dues`: when each is next due, if pending. */
interface DeliveryGroup {
  status: DeliveryStatus;
  outcome: Outcome;
  ids: number[];
  dues: number[];
}

/** Writes how claims ended, and fails deliveries that have expired. */
@Injectable()
export class Settler {
  private nextExpiry = 0;
  private lastExpiryCheck = 0;

  constructor(
    private readonly config: Config,
    private readonly quotas: Quotas,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly cancellation: Cancellation,
    private readonly listeners: DeliveryListeners,
  ) {}

  /**
   * Writes how claims ended, and returns the deliveries that have failed for good. The lanes must be locked, and are changed in place.
   * Ignores a claim that no longer has its lease: it is already settled, or the delivery was claimed again.
   */
  async settle(
    statements: Transaction,
    settlements: readonly Settlement[],
    lanes: readonly Lane[],
    now: number,
  ): Promise<FailedDelivery[]> {
    const heldSettlements = await this.lockHeldSettlements(statements, settlements);
    const byName = new Map(lanes.map((lane) => [lane.name, lane]));
    for (const { claim, ending } of heldSettlements) {
      const lane = byName.get(claim.lane);
      if (lane) applyEnding(lane, ending);
    }
    const time = timestamp(now);
    const attempts = heldSettlements.flatMap(({ ending, ...rest }) => (hasResult(ending) ? [{ ...rest, ending }] : []));
    const { deliveries, failures } = await this.writeAttempts(statements, attempts, time);
    const releasedIds = heldSettlements.filter(({ ending }) => !hasResult(ending)).map(({ claim }) => claim.id);
    await writeForIds(statements, RELEASE, [time], releasedIds);
    for (const { claim, ending, end } of heldSettlements) {
      const by = actorOf(claim.accountId, end);
      if (ending === 'cancelled') deliveries.push(...(await this.cancel(statements, claim, by, time)));
      else if (ending === 'released' && end)
        deliveries.push(...(await this.cancellation.cancelSilently(statements, by, { ids: [claim.id], time, end })));
    }
    // Last, after leases are released: listeners lock all these messages in order, and cancel deliveries that have no lease.
    await this.listeners.notifyEnded(statements, deliveries);
    return failures;
  }

  /** When the next delivery without an attempt in progress expires, in one account or in all; infinite if none does. */
  async findNextExpiry(accountId?: number): Promise<number> {
    const [accountCondition, values] = accountId === undefined ? ['', []] : [' AND account_id = ?', [accountId]];
    const find = `SELECT expires_at ${FROM_EXPIRING} >= 0${accountCondition} ORDER BY expires_at LIMIT 1`;
    const [row] = await this.dialect.read<[expiresAt: number]>(find, values);
    const next = row?.[0] ?? Infinity;
    if (accountId === undefined) this.nextExpiry = next;
    return next;
  }

  /** Fails deliveries that have expired, and returns them. */
  async expire(now: number): Promise<FailedDelivery[]> {
    if (now < this.nextExpiry && Math.abs(now - this.lastExpiryCheck) < EXPIRY_CHECK_MS) return [];
    this.lastExpiryCheck = now;
    const ended: FailedDelivery[] = [];
    while ((await this.findNextExpiry()) <= now) {
      const batch = await this.executor.run((statements) => this.expireBatch(statements, now));
      if (batch.length === 0) break; // the rows are locked: another process is failing them
      ended.push(...batch);
    }
    return ended;
  }

  private async expireBatch(statements: Transaction, now: number): Promise<FailedDelivery[]> {
    const rows = await statements.read<ExpiredRow>(`${FIND_EXPIRED}${this.dialect.sql.forUpdateSkipLocked}`, [now]);
    const ending = { verdict: EXPIRED, durationMs: 0, time: now };
    const expired = rows.map(([id, accountId, messageId, handlerId, type, eventId, number]) => {
      return {
        claim: { id, accountId, messageId, handlerId, type, eventId, until: null, number, tries: 0, outcome: null, started: now },
        ending,
        end: null,
      };
    });
    const { deliveries, failures } = await this.writeAttempts(statements, expired, timestamp(now));
    await this.listeners.notifyEnded(statements, deliveries);
    return failures;
  }

  /** Leaves out settlements whose claims have lost their leases. Locks the deliveries, since their messages may be cancelled meanwhile. */
  private async lockHeldSettlements(statements: SqlExecutor, settlements: readonly Settlement[]): Promise<HeldSettlement[]> {
    if (settlements.length === 0) return [];
    const { sql, values } = inList(settlements.map(({ claim }) => claim.id));
    const lock = `SELECT id, lease, cancelled_as, cancelled_by FROM deliveries WHERE id IN ${sql} ORDER BY id${this.dialect.sql.forUpdate}`;
    const rows = await statements.read<LockedRow>(lock, values);
    const found = new Map(rows.map(([id, lease, reason, keyId]) => [id, { lease, end: reason && { reason, keyId } }]));
    return settlements.flatMap((settlement) => {
      const row = found.get(settlement.claim.id);
      return row?.lease === settlement.claim.lease ? [{ ...settlement, end: row.end }] : [];
    });
  }

  /** Writes ended attempts. Returns their deliveries, and which of these have failed for good. */
  private async writeAttempts(statements: Transaction, ended: readonly EndedAttempt[], time: string) {
    const failures: FailedDelivery[] = [];
    const deliveries: EndedDelivery[] = [];
    const groups = new Map<string, DeliveryGroup>();
    for (const { claim, ending, end } of ended) {
      const { status, nextAttempt } = nextStateOf(claim, ending, this.config.deliveries, end !== null);
      if (status === 'failed') failures.push({ claim, ending });
      const { outcome, sid } = ending.verdict;
      const by = status === 'cancelled' ? actorOf(claim.accountId, end) : byService(claim.accountId);
      deliveries.push({ ...claim, status, outcome, end, by, sid });
      const key = `${status} ${outcome}`;
      if (!groups.has(key)) groups.set(key, { status, outcome, ids: [], dues: [] });
      const { ids, dues } = groups.get(key)!;
      ids.push(claim.id);
      if (nextAttempt !== null) dues.push(nextAttempt);
    }
    for (const group of groups.values()) await writeGroup(statements, group, time);
    await insertRows(statements, 'delivery_attempts', ATTEMPT_COLUMNS, ended.map(attemptRow));
    return { deliveries, failures };
  }

  private async cancel(statements: Transaction, claim: Claim, by: Actor, time: string): Promise<EndedDelivery[]> {
    const { id, accountId, type, number, started, isOverLimit } = claim;
    const quota = dailyQuota(this.config, type);
    if (quota && number === 1 && !isOverLimit) await this.quotas.undoUse(statements, accountId, quota, started);
    return this.cancellation.cancelSilently(statements, by, { ids: [id], time });
  }
}

async function writeGroup(statements: SqlExecutor, { status, outcome, ids, dues }: DeliveryGroup, time: string): Promise<void> {
  if (status !== 'pending') return writeForIds(statements, FINISH, [status, outcome, time], ids);
  const padded = inList(ids).values;
  const times = `CASE id${' WHEN ? THEN ?'.repeat(padded.length)} END`;
  const pairs = padded.flatMap((id, index) => [id, dues[Math.min(index, dues.length - 1)]]);
  return writeForIds(statements, POSTPONE(times), [outcome, ...pairs, time], ids);
}

/** The caller that cancelled the message, or the service if none did. */
function actorOf(accountId: number, end: MessageEnd | null): Actor {
  const service = byService(accountId);
  return end?.reason === 'cancelled' ? { ...service, keyId: end.keyId, isByService: false } : service;
}

async function writeForIds(statements: SqlExecutor, sql: string, values: Value[], ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const list = inList(ids);
  await statements.write(`${sql} ${list.sql}`, [...values, ...list.values]);
}

function attemptRow({ claim, ending }: EndedAttempt) {
  const { accountId, id, number, started } = claim;
  const { verdict, durationMs } = ending;
  const { outcome, status, detail } = verdict;
  return [accountId, id, number, timestamp(started), durationMs, outcome, status, detail];
}
