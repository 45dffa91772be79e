import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import type { Actor } from '../../platform/database/events/event-log';
import { inList } from '../../platform/database/value-lists';
import type { Transaction } from '../../platform/database/writes/transactions';
import type { Outcome } from '../channels/channel';
import type { Until } from '../delivery.entity';
import { DeliveryListeners, type EndedDelivery, type MessageEnd } from './delivery-listeners';

export const WAIT_ENDED: MessageEnd = { reason: 'wait_ended', keyId: null };

interface CancelOptions {
  ids: readonly number[];
  time: string;
  condition?: string;
  /** How the message ended early; omitted if only the handler became unusable, or if the deliveries already record it. */
  end?: MessageEnd;
}

type CancelledRow = [
  id: number,
  accountId: number,
  messageId: number,
  handlerId: number,
  outcome: Outcome | null,
  eventId: string | null,
  until: Until | null,
];

const LOCK_PENDING = `SELECT id, account_id, message_id, handler_id, outcome, event_id, until FROM deliveries
  WHERE next_attempt >= 0 AND lease IS NULL AND id IN`;
const CANCEL = `UPDATE deliveries SET status = 'cancelled', next_attempt = NULL, expires_at = NULL, last_datetime = ?,
  cancelled_as = COALESCE(?, cancelled_as), cancelled_by = COALESCE(?, cancelled_by) WHERE id IN`;
const MARK_LAST = 'UPDATE deliveries SET cancelled_as = ?, cancelled_by = ? WHERE cancelled_as IS NULL AND id IN';

@Injectable()
export class Cancellation {
  constructor(
    private readonly dialect: Dialect,
    private readonly listeners: DeliveryListeners,
  ) {}

  /** Cancels those of the deliveries that are pending, unclaimed and meet `condition` (SQL without parameters), and notifies the listeners. */
  async cancel(transaction: Transaction, by: Actor, options: CancelOptions): Promise<void> {
    await this.listeners.notifyEnded(transaction, await this.cancelSilently(transaction, by, options));
  }

  /** Like `cancel`, but returns the cancelled deliveries: the caller notifies the listeners of these and others together. */
  async cancelSilently(transaction: Transaction, by: Actor, options: CancelOptions): Promise<EndedDelivery[]> {
    const { ids, time, condition = '1 = 1', end } = options;
    if (ids.length === 0) return [];
    const requested = inList(ids);
    const lock = `${LOCK_PENDING} ${requested.sql} AND ${condition} ORDER BY id${this.dialect.sql.forUpdate}`;
    const rows = await transaction.read<CancelledRow>(lock, requested.values);
    if (rows.length === 0) return [];
    const locked = inList(rows.map(([id]) => id));
    await transaction.write(`${CANCEL} ${locked.sql}`, [time, end?.reason ?? null, end?.keyId ?? null, ...locked.values]);
    return rows.map(([id, accountId, messageId, handlerId, outcome, eventId, until]) => {
      return { id, accountId, messageId, handlerId, outcome, eventId, until, status: 'cancelled', end: end ?? null, by };
    });
  }
}

/** Makes the attempts in progress of these deliveries their last. Returns how many deliveries weren't marked before. */
export async function markLastAttempts(statements: SqlExecutor, ids: readonly number[], end: MessageEnd): Promise<number> {
  if (ids.length === 0) return 0;
  const { sql, values } = inList(ids);
  return (await statements.write(`${MARK_LAST} ${sql}`, [end.reason, end.keyId, ...values])).affected;
}
