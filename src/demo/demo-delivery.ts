import { timestamp } from '../common/time';
import { byService, logEvents } from '../database/events/audit';
import type { Dialect } from '../database/dialect';
import type { Transaction } from '../database/writes/transactions';
import { deliveryEvent } from '../deliveries/delivery-events';
import { Delivery, DeliveryAttempt } from '../deliveries/delivery.entity';
import { Message } from '../deliveries/messages/message.entity';
import { laneOf } from '../deliveries/queue/lane';
import { countDeliveries } from '../deliveries/statistics/count-deliveries';

const MESSAGE = { title: 'Fechamento do caixa', text: 'O caixa de hoje fechou com 18 atendimentos.' };
const REFUSAL = { outcome: 'rejected', status: 410, detail: 'The receiver answered 410.' } as const;

/** A message that has failed, so that there is something to look into. Nothing was sent. */
export async function insertFailedDelivery(
  transaction: Transaction,
  dialect: Dialect,
  accountId: number,
  handlerId: number,
): Promise<void> {
  const { manager } = transaction;
  const datetime = timestamp(transaction.clock.now());
  const common = { account_id: accountId, datetime };
  const message: Partial<Message> = { ...common, ...MESSAGE, url: '' };
  await manager.insert(Message, message);
  const recipient = { handlerId, type: 'webhook' };
  const delivery: Partial<Delivery> = {
    ...common,
    ...{ message_id: message.id, handler_id: handlerId, type: recipient.type, lane: laneOf(recipient, accountId) },
    ...{ status: 'failed', outcome: REFUSAL.outcome, attempts: 1, tries: 1, is_counted: true, last_datetime: datetime },
  };
  await manager.insert(Delivery, delivery);
  await manager.insert(DeliveryAttempt, { ...common, ...REFUSAL, delivery_id: delivery.id, number: 1, duration_ms: 84 });
  await countDeliveries(dialect, transaction, 1, 'id = ?', [delivery.id!]);
  await logEvents(transaction, byService(accountId), [
    { action: 'create', record: 'message', recordId: message.id! },
    deliveryEvent('fail', { id: delivery.id!, messageId: message.id!, handlerId, outcome: REFUSAL.outcome }),
  ]);
}
