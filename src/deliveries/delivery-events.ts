import type { Dialect, SqlExecutor } from '../platform/database/dialect';
import { type Actor, type AuditEvent, logEvents } from '../platform/database/events/audit';
import { type EventAction, NOTIFIED_EVENT } from '../platform/database/events/event-types';
import { inList } from '../platform/database/value-lists';
import type { Outcome } from './channels/channel';

export interface ChangedDelivery {
  id: number;
  messageId: number;
  handlerId: number;
  /** Of the last attempt that has ended. */
  outcome: Outcome | null;
  /** `Delivery.event_id`. */
  eventId: string | null;
}

export function deliveryEvent(action: EventAction, { id, messageId, handlerId, outcome }: Omit<ChangedDelivery, 'eventId'>): AuditEvent {
  return { action, record: 'delivery', recordId: id, data: { message_id: messageId, handler_id: handlerId, outcome } };
}

/** Always audited. If the delivery itself reports an event, NOTIFIED_EVENT keeps its retry out of the feed. */
export function retryEvent({ eventId, ...delivery }: ChangedDelivery): AuditEvent {
  const event = deliveryEvent('retry', delivery);
  return eventId === null ? event : { ...event, data: { ...event.data, [NOTIFIED_EVENT]: eventId } };
}

interface Cancellation {
  ids: readonly number[];
  time: string;
  condition?: string;
  /** Written to `Delivery.cancelled_by`; null leaves that as it is. */
  cancelledBy?: number | null;
}

type CancelledRow = [id: number, messageId: number, handlerId: number, outcome: Outcome | null, eventId: string | null];

const LOCK = 'SELECT id, message_id, handler_id, outcome, event_id FROM deliveries WHERE next_attempt >= 0 AND lease IS NULL AND id IN';
const CANCEL = `UPDATE deliveries SET status = 'cancelled', next_attempt = NULL, expires_at = NULL, last_datetime = ?,
  cancelled_by = COALESCE(?, cancelled_by) WHERE id IN`;

/** Cancels the given deliveries that are pending, are unclaimed and meet `condition` (SQL without parameters). Returns their number. */
export async function cancelDeliveries(
  dialect: Dialect,
  statements: SqlExecutor,
  by: Actor,
  { ids, time, condition = '1 = 1', cancelledBy = null }: Cancellation,
): Promise<number> {
  if (ids.length === 0) return 0;
  const given = inList(ids);
  const lock = `${LOCK} ${given.sql} AND ${condition} ORDER BY id${dialect.sql.forUpdate}`;
  const rows = await statements.read<CancelledRow>(lock, given.values);
  if (rows.length === 0) return 0;
  const locked = inList(rows.map(([id]) => id));
  await statements.write(`${CANCEL} ${locked.sql}`, [time, cancelledBy, ...locked.values]);
  const told = rows.filter(([, , , , eventId]) => eventId === null); // a delivery that reports an event causes none: that would loop
  const events = told.map(([id, messageId, handlerId, outcome]) => deliveryEvent('cancel', { id, messageId, handlerId, outcome }));
  await logEvents(statements, by, events);
  return rows.length;
}
