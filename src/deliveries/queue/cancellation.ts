import { Injectable } from '@nestjs/common';
import { Dialect, type SqlExecutor } from '../../platform/database/dialect';
import type { Actor } from '../../platform/database/events/event-log';
import { inList } from '../../platform/database/value-lists';
import type { Transaction } from '../../platform/database/writes/transactions';
import type { Outcome } from '../channels/channel';
import type { Until } from '../delivery.entity';
import { DeliveryListeners, type EndedDelivery, type MessageEnd } from './delivery-listeners';

export const WAIT_ENDED: MessageEnd = { as: 'wait_ended', keyId: null };

interface CancelledDeliveries {
  ids: readonly number[];
  time: string;
  condition?: string;
  /** Why the message is over; unless only the handler is gone, or that was noted before. */
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

const LOCK = `SELECT id, account_id, message_id, handler_id, outcome, event_id, until FROM deliveries
  WHERE next_attempt >= 0 AND lease IS NULL AND id IN`;
const CANCEL = `UPDATE deliveries SET status = 'cancelled', next_attempt = NULL, expires_at = NULL, last_datetime = ?,
  cancelled_as = COALESCE(?, cancelled_as), cancelled_by = COALESCE(?, cancelled_by) WHERE id IN`;
const MARK = 'UPDATE deliveries SET cancelled_as = ?, cancelled_by = ? WHERE cancelled_as IS NULL AND id IN';

@Injectable()
export class Cancellation {
  constructor(
    private readonly dialect: Dialect,
    private readonly listeners: DeliveryListeners,
  ) {}

  /** Cancels those of the given deliveries that are pending, are unclaimed and meet `condition` (SQL without parameters), and reports it. */
  async cancel(transaction: Transaction, by: Actor, cancelled: CancelledDeliveries): Promise<void> {
    await this.listeners.notifyEnded(transaction, await this.write(transaction, by, cancelled));
  }

  /** Cancels them, for a caller that reports it together with other endings. */
  async write(transaction: Transaction, by: Actor, { ids, time, condition = '1 = 1', end }: CancelledDeliveries): Promise<EndedDelivery[]> {
    if (ids.length === 0) return [];
    const given = inList(ids);
    const lock = `${LOCK} ${given.sql} AND ${condition} ORDER BY id${this.dialect.sql.forUpdate}`;
    const rows = await transaction.read<CancelledRow>(lock, given.values);
    if (rows.length === 0) return [];
    const locked = inList(rows.map(([id]) => id));
    await transaction.write(`${CANCEL} ${locked.sql}`, [time, end?.as ?? null, end?.keyId ?? null, ...locked.values]);
    return rows.map(([id, accountId, messageId, handlerId, outcome, eventId, until]) => {
      return { id, accountId, messageId, handlerId, outcome, eventId, until, status: 'cancelled', end: end ?? null, by };
    });
  }
}

/** Makes the attempts in progress of these deliveries their last ones. Returns the number of those that weren't already. */
export async function markLast(statements: SqlExecutor, ids: readonly number[], end: MessageEnd): Promise<number> {
  if (ids.length === 0) return 0;
  const { sql, values } = inList(ids);
  return (await statements.write(`${MARK} ${sql}`, [end.as, end.keyId, ...values])).affected;
}
