import type { Dialect, SqlExecutor } from '../../platform/database/dialect';
import { type Actor, logEvents } from '../../platform/database/events/audit';
import { inList } from '../../platform/database/value-lists';
import type { Outcome } from '../channels/channel';
import { deliveryEvent } from '../delivery-events';
import type { EndOfMessage } from '../delivery.entity';
import type { Until } from '../messages/message.entity';

/** `Delivery.cancelled_as` and `cancelled_by`. */
export interface MessageEnd {
  as: EndOfMessage;
  keyId: number | null;
}

export const WAIT_ENDED: MessageEnd = { as: 'wait_ended', keyId: null };

interface Cancellation {
  ids: readonly number[];
  time: string;
  condition?: string;
  /** Why the message is over; unless only the handler is gone, or that was noted before. */
  end?: MessageEnd;
}

type CancelledRow = [
  ...[id: number, messageId: number, handlerId: number, outcome: Outcome | null],
  ...[eventId: string | null, until: Until | null],
];

const LOCK =
  'SELECT id, message_id, handler_id, outcome, event_id, until FROM deliveries WHERE next_attempt >= 0 AND lease IS NULL AND id IN';
const CANCEL = `UPDATE deliveries SET status = 'cancelled', next_attempt = NULL, expires_at = NULL, last_datetime = ?,
  cancelled_as = COALESCE(?, cancelled_as), cancelled_by = COALESCE(?, cancelled_by) WHERE id IN`;

/**
 * Cancels the given deliveries that are pending, are unclaimed and meet `condition` (SQL without parameters). Returns the messages
 * among theirs that wait for a delivery, which may now go on.
 */
export async function cancelDeliveries(
  dialect: Dialect,
  statements: SqlExecutor,
  by: Actor,
  { ids, time, condition = '1 = 1', end }: Cancellation,
): Promise<number[]> {
  if (ids.length === 0) return [];
  const given = inList(ids);
  const lock = `${LOCK} ${given.sql} AND ${condition} ORDER BY id${dialect.sql.forUpdate}`;
  const rows = await statements.read<CancelledRow>(lock, given.values);
  if (rows.length === 0) return [];
  const locked = inList(rows.map(([id]) => id));
  await statements.write(`${CANCEL} ${locked.sql}`, [time, end?.as ?? null, end?.keyId ?? null, ...locked.values]);
  const told = rows.filter(([, , , , eventId]) => eventId === null); // a delivery that reports an event causes none: that would loop
  const events = told.map(([id, messageId, handlerId, outcome]) => deliveryEvent('cancel', { id, messageId, handlerId, outcome }));
  await logEvents(statements, by, events);
  return rows.filter(([, , , , , until]) => until === 'delivered').map(([, messageId]) => messageId);
}

const MARK = 'UPDATE deliveries SET cancelled_as = ?, cancelled_by = ? WHERE cancelled_as IS NULL AND id IN';

/** Makes the attempts in progress of these deliveries their last ones. Returns the number of those that weren't already. */
export async function markLast(statements: SqlExecutor, ids: readonly number[], end: MessageEnd): Promise<number> {
  if (ids.length === 0) return 0;
  const { sql, values } = inList(ids);
  return (await statements.write(`${MARK} ${sql}`, [end.as, end.keyId, ...values])).affected;
}
