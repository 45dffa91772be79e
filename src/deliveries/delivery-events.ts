import type { AuditEvent } from '../platform/database/events/audit';
import { type EventAction, NOTIFIED_EVENT } from '../platform/database/events/event-types';
import type { Outcome } from './channels/channel';
import type { Delivery } from './delivery.entity';

interface ChangedDelivery {
  id: number;
  messageId: number;
  handlerId: number;
  /** Of the last attempt that has ended. */
  outcome: Outcome | null;
}

export function deliveryEvent(action: EventAction, { id, messageId, handlerId, outcome }: ChangedDelivery): AuditEvent {
  return { action, record: 'delivery', recordId: id, data: { message_id: messageId, handler_id: handlerId, outcome } };
}

/** Always audited. If the delivery itself reports an event, NOTIFIED_EVENT keeps its retry out of the feed. */
export function retryEvent({ id, message_id, handler_id, outcome, event_id }: Delivery): AuditEvent {
  const event = deliveryEvent('retry', { id, messageId: message_id, handlerId: handler_id, outcome });
  return event_id === null ? event : { ...event, data: { ...event.data, [NOTIFIED_EVENT]: event_id } };
}
