import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Account } from '../../auth/accounts/account.entity';
import { ApiKeysService } from '../../auth/accounts/api-keys.service';
import { timestamp } from '../../platform/common/time';
import { operatorContext } from '../../platform/common/write-context';
import { Config } from '../../platform/config/config';
import { logAuditedEvent, byService, logEvents } from '../../platform/database/events/event-log';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { deliveryEvent } from '../../deliveries/queue/delivery-events';
import { Installation } from '../../deliveries/installations';
import { Delivery, DeliveryAttempt } from '../../deliveries/delivery.entity';
import { foldContent, Message } from '../../messages/message.entity';
import { laneOf } from '../../deliveries/queue/lane';
import { Domain } from '../../domains/domain.entity';
import { OperatorVerifications } from '../../domains/verification/operator-verifications';
import { NotificationHandler } from '../../notification-handlers/notification-handler.entity';
import { SecretsCipher } from '../../platform/secrets/secrets-cipher';
import { Campaign, Notification } from '../../notifications/notification.entity';
import { DEMO_CAMPAIGNS, DEMO_DOMAINS, DEMO_HANDLERS, insertDemoScheduling } from './demo-records';

/**
 * Creates the account `demo` and its records on the first start. Returns the account's key, or undefined with DEMO=off, on MySQL, or when
 * an account exists.
 */
export async function createDemoAccount(app: INestApplicationContext): Promise<string | undefined> {
  const { demo, database } = app.get(Config);
  if (!demo || database.type !== 'sqlite') return undefined;
  return app.get(WriteExecutor).run(async (transaction) => {
    const { manager, clock } = transaction;
    if (await manager.exists(Account)) return undefined;
    const account: Partial<Account> = { name: 'demo', datetime: timestamp(clock.now()) };
    await manager.insert(Account, account);
    const accountId = account.id!;
    await insertRecords(app, transaction, accountId);
    await insertDemoScheduling(manager, accountId, clock.now());
    await logAuditedEvent(transaction, operatorContext(accountId), { action: 'create', record: 'account', recordId: accountId });
    const { key } = await app.get(ApiKeysService).insert(transaction, { accountId, name: 'first start' });
    return key;
  });
}

async function insertRecords(app: INestApplicationContext, transaction: Transaction, accountId: number): Promise<void> {
  const { manager } = transaction;
  const common = { account_id: accountId, is_enabled: true, datetime: timestamp(transaction.clock.now()) };
  const handlers: Partial<NotificationHandler>[] = [];
  for (const handler of DEMO_HANDLERS) {
    const settings = app.get(SecretsCipher).encrypt(JSON.stringify(handler.settings), accountId);
    handlers.push({ ...common, ...handler, settings, is_enabled: false }); // sending through them would fail
    await manager.insert(NotificationHandler, handlers[handlers.length - 1]);
  }
  for (const { name, notifications } of DEMO_CAMPAIGNS) {
    const campaign: Partial<Campaign> = { ...common, name };
    await manager.insert(Campaign, campaign);
    for (const notification of notifications) {
      const links = { campaign_id: campaign.id!, notification_key: randomBytes(16).toString('hex') };
      await manager.insert(Notification, { ...common, ...notification, ...links });
    }
  }
  for (const { isVerified, ...domain } of DEMO_DOMAINS) {
    const row: Partial<Domain> = { ...common, ...domain, scheme: 'https://', custom_not_found_url: '' };
    await manager.insert(Domain, row);
    if (isVerified) await app.get(OperatorVerifications).verifyWithin(transaction, row.id!);
  }
  const webhook = handlers.find(({ type }) => type === 'webhook')!;
  await insertFailedDelivery(transaction, accountId, webhook.id!);
}

const MESSAGE = { title: 'Fechamento do caixa', text: 'O caixa de hoje fechou com 18 atendimentos.' };
const REFUSAL = { outcome: 'rejected', status: 410, detail: 'The receiver answered 410.' } as const;

/** Inserts a message with a failed delivery, as an example to look into. Nothing is sent. */
async function insertFailedDelivery(transaction: Transaction, accountId: number, handlerId: number): Promise<void> {
  const { manager } = transaction;
  const datetime = timestamp(transaction.clock.now());
  const common = { account_id: accountId, datetime };
  const message: Partial<Message> = { ...common, ...MESSAGE, url: '', content_folded: foldContent(MESSAGE) };
  await manager.insert(Message, message);
  const { part } = await manager.findOneByOrFail(Installation, { id: 1 }); // created when the application was initialized
  const recipient = { handlerId, type: 'webhook' };
  const delivery: Partial<Delivery> = {
    ...common,
    message_id: message.id,
    handler_id: handlerId,
    type: recipient.type,
    lane: laneOf(recipient, accountId),
    part,
    status: 'failed',
    outcome: REFUSAL.outcome,
    attempts: 1,
    tries: 1,
    is_counted: true,
    last_datetime: datetime,
  };
  await manager.insert(Delivery, delivery);
  await manager.insert(DeliveryAttempt, { ...common, ...REFUSAL, delivery_id: delivery.id, number: 1, duration_ms: 84 });
  await logEvents(transaction, byService(accountId), [
    { action: 'create', record: 'message', recordId: message.id! },
    deliveryEvent('fail', { id: delivery.id!, messageId: message.id!, handlerId, outcome: REFUSAL.outcome }),
  ]);
}
