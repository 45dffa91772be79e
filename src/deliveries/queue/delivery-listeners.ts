import { Injectable } from '@nestjs/common';
import type { Actor } from '../../platform/database/events/event-log';
import type { Transaction } from '../../platform/database/writes/transactions';
import type { Outcome } from '../channels/channel';
import type { DeliveryStatus } from '../delivery-status';
import type { EndReason, Until } from '../delivery.entity';

/** How a message ended early: `Delivery.cancelled_as` and `cancelled_by`. */
export interface MessageEnd {
  reason: EndReason;
  keyId: number | null;
}

/** A delivery that was cancelled, or whose attempt has ended. */
export interface EndedDelivery {
  id: number;
  accountId: number;
  messageId: number;
  handlerId: number;
  /** Null unless its message reports an event. */
  eventId: string | null;
  /** `pending`: another attempt follows. */
  status: DeliveryStatus;
  /** Outcome of the last attempt that has ended. */
  outcome: Outcome | null;
  until: Until | null;
  /** Null unless the whole message ended early. */
  end: MessageEnd | null;
  by: Actor;
  /** Twilio's id of the message or call that the attempt created. */
  sid?: string;
}

/** Called in the transaction that changes the deliveries, which are locked. */
export interface DeliveryListener {
  onEnded?(transaction: Transaction, deliveries: readonly EndedDelivery[]): Promise<void>;
  /** Called when Twilio has reported whether a delivery reached its receiver. */
  onReported?(transaction: Transaction, delivery: Pick<EndedDelivery, 'messageId' | 'until'>): Promise<void>;
}

/** Notifies the event log, receipts, and messages that wait for a delivery of how deliveries ended. */
@Injectable()
export class DeliveryListeners {
  private readonly listeners: DeliveryListener[] = [];

  add(listener: DeliveryListener): void {
    this.listeners.push(listener);
  }

  async notifyEnded(transaction: Transaction, deliveries: readonly EndedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    for (const listener of this.listeners) await listener.onEnded?.(transaction, deliveries);
  }

  async notifyReported(transaction: Transaction, delivery: Pick<EndedDelivery, 'messageId' | 'until'>): Promise<void> {
    for (const listener of this.listeners) await listener.onReported?.(transaction, delivery);
  }
}
