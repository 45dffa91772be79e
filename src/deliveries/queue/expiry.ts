import { Injectable } from '@nestjs/common';
import { SECOND_MS, timestamp } from '../../common/time';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { byService, logAll } from '../../database/events/audit';
import { inList, insertRows } from '../../database/value-lists';
import { WriteExecutor } from '../../database/writes/transactions';
import type { Verdict } from '../channels/channel';
import { deliveryEvent } from '../delivery-events';
import { countingChanges } from '../statistics/count-deliveries';
import type { FailedDelivery } from './claim';
import { ATTEMPT_COLUMNS } from './settler';

export const EXPIRED: Verdict = { outcome: 'expired', isFinal: true, status: null, detail: 'The message expired.' };

/** Per transaction. */
const BATCH = 500;
/** How often another process's messages are looked for while this one is never idle. */
const CHECK_MS = SECOND_MS;
const PENDING = 'lease IS NULL AND next_attempt >= 0';
const FROM = `FROM deliveries WHERE expires_at >= 0 AND ${PENDING}`;
const FIND_NEXT = `SELECT expires_at ${FROM} ORDER BY expires_at LIMIT 1`;
const FIND_NEXT_OF_ACCOUNT = `SELECT expires_at ${FROM} AND account_id = ? ORDER BY expires_at LIMIT 1`;
const FIND_DUE = `SELECT id, account_id, message_id, handler_id, type, event_id, attempts FROM deliveries
  WHERE expires_at <= ? AND ${PENDING} ORDER BY expires_at LIMIT ${BATCH}`;
const END = `UPDATE deliveries SET status = 'failed', outcome = '${EXPIRED.outcome}', next_attempt = NULL, expires_at = NULL, last_datetime = ?
  WHERE id IN`;

type Row = [id: number, accountId: number, messageId: number, handlerId: number, type: string, eventId: string | null, attempts: number];

/** Ends deliveries that have expired, except those with an attempt in progress. */
@Injectable()
export class Expiry {
  private nextDue = 0;
  private checked = 0;

  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /** When the next one expires, of an account or of all; infinite if none will. */
  async next(accountId?: number): Promise<number> {
    const [sql, values] = accountId === undefined ? [FIND_NEXT, []] : [FIND_NEXT_OF_ACCOUNT, [accountId]];
    const [row] = await this.dialect.read<[expiresAt: number]>(sql, values);
    const next = row?.[0] ?? Infinity;
    if (accountId === undefined) this.nextDue = next;
    return next;
  }

  async endDue(now: number): Promise<FailedDelivery[]> {
    if (now < this.nextDue && Math.abs(now - this.checked) < CHECK_MS) return [];
    this.checked = now;
    const ended: FailedDelivery[] = [];
    while ((await this.next()) <= now) {
      const batch = await this.executor.run((statements) => this.end(statements, now));
      if (batch.length === 0) break; // locked: another process ends them
      ended.push(...batch);
    }
    return ended;
  }

  private async end(statements: SqlExecutor, now: number): Promise<FailedDelivery[]> {
    const rows = await statements.read<Row>(`${FIND_DUE}${this.dialect.sql.forUpdateSkipLocked}`, [now]);
    if (rows.length === 0) return [];
    const time = timestamp(now);
    const { sql, values } = inList(rows.map(([id]) => id));
    const ids = rows.map(([id]) => id);
    await countingChanges(this.dialect, statements, ids, () => statements.write(`${END} ${sql}`, [time, ...values]));
    const { outcome, status, detail } = EXPIRED;
    const lines = rows.map(([id, accountId, , , , , attempts]) => [accountId, id, attempts, time, 0, outcome, status, detail]);
    await insertRows(statements, 'delivery_attempts', ATTEMPT_COLUMNS, lines);
    const failed = rows.map(([id, accountId, messageId, handlerId, type, eventId]) => ({
      claim: { id, accountId, messageId, handlerId, type, eventId },
      ending: { verdict: EXPIRED },
    }));
    const told = failed.filter(({ claim }) => claim.eventId === null); // what an event has caused causes none
    const events = told.map(({ claim }) => ({ ...deliveryEvent('fail', { ...claim, outcome }), by: byService(claim.accountId) }));
    await logAll(statements, events);
    return failed;
  }
}
