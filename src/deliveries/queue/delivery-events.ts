import { Injectable } from '@nestjs/common';
import { type NewEvent, logEventsOfActors } from '../../platform/database/events/event-log';
import { NOTIFIED_EVENT } from '../../platform/database/events/event-types';
import type { Transaction } from '../../platform/database/writes/transactions';
import type { Outcome } from '../channels/channel';
import { type DeliveryListener, DeliveryListeners, type EndedDelivery } from './delivery-listeners';

const ACTION_BY_STATUS = { delivered: 'deliver', failed: 'fail', cancelled: 'cancel' } as const;

/** Logs how deliveries ended. A delivery that itself reports an event is not logged: that would loop. */
@Injectable()
export class DeliveryEventLogger implements DeliveryListener {
  constructor(listeners: DeliveryListeners) {
    listeners.add(this);
  }

  onEnded(transaction: Transaction, deliveries: readonly EndedDelivery[]): Promise<void> {
    const events = deliveries.flatMap((delivery) => {
      const { status, eventId, by } = delivery;
      return status === 'pending' || eventId !== null ? [] : [{ ...deliveryEvent(ACTION_BY_STATUS[status], delivery), by }];
    });
    return logEventsOfActors(transaction, events);
  }
}

export function deliveryEvent(
  action: string,
  { id, messageId, handlerId, outcome }: Pick<EndedDelivery, 'id' | 'messageId' | 'handlerId' | 'outcome'>,
): NewEvent {
  return { action, record: 'delivery', recordId: id, data: { message_id: messageId, handler_id: handlerId, outcome } };
}

/** Event of a manual retry, always audited. If the delivery itself reports an event, NOTIFIED_EVENT keeps its retry out of the feed. */
export function retryEvent(id: number, messageId: number, handlerId: number, outcome: Outcome | null, eventId: string | null): NewEvent {
  const event = deliveryEvent('retry', { id, messageId, handlerId, outcome });
  return eventId === null ? event : { ...event, data: { ...event.data, [NOTIFIED_EVENT]: eventId } };
}
