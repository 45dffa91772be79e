import { randomBytes } from 'node:crypto';
import { Domain } from '../../../src/domains/domain.entity';
import { Campaign, Notification } from '../../../src/notifications/notification.entity';
import type { TestAccount, TestApplication } from '../http/application';
import { insertRows } from './insert-rows';

export const DOMAINS = '/api/domains';
export const HANDLERS = '/api/notification-handlers';
export const HANDLERS_READ = '/api/notification-handler';
export const NOTIFICATIONS = '/api/notifications';
export const MESSAGES = '/api/messages';
export const DELIVERIES = '/api/deliveries';

/** Logs a change of a host for the edge. */
export const LOG_HOST = `INSERT INTO events (datetime, account_id, action, record, is_audited, is_by_service, host)
  VALUES ('2026-11-21 14:05:09', 0, '', 'domain', 0, 1, ?)`;

/** A unique host. */
export function newHost(): string {
  return `${randomBytes(6).toString('hex')}.example.com`;
}

export interface NewDomain {
  account: TestAccount;
  host: string;
  id: number;
}

/** A domain of a new account, with its own limits. */
export async function createDomain(application: TestApplication): Promise<NewDomain> {
  const account = await application.createAccount();
  const host = newHost();
  return { account, host, id: await account.client.create(DOMAINS, { host }) };
}

/** The handler type that all handler routes accept. Its host is blocked, so nothing leaves the tests. */
const WEBHOOK = { name: 'Night shift', type: 'webhook', webhook: 'https://hooks.localhost/night' };

/**
 * Forms of resources with unique values, for those that the examples of the OpenAPI document do not suit. A message needs an
 * account with a handler.
 */
export const FORMS: Record<string, () => Record<string, string>> = {
  [DOMAINS]: () => ({ host: newHost() }),
  [HANDLERS]: () => WEBHOOK,
  [HANDLERS_READ]: () => WEBHOOK,
  [MESSAGES]: () => ({ text: 'The backup failed.' }),
};

/** A message whose only delivery has failed, so that it no longer changes. */
export async function createFailedMessage({ client }: TestAccount): Promise<{ id: number; deliveryId: number }> {
  const handler = await client.create(HANDLERS, WEBHOOK);
  const id = await client.create(MESSAGES, { ...FORMS[MESSAGES](), handler_ids: String(handler) });
  for (;;) {
    const { body } = await client.get(`${DELIVERIES}?message_id=${id}&status=failed`).expect(200);
    const [delivery] = (body as { data: { id: number }[] }).data;
    if (delivery) return { id, deliveryId: delivery.id };
  }
}

/** Inserts a notification by SQL, since no route writes them. */
export async function insertNotification(
  { dataSource }: TestApplication,
  accountId: number,
  given: Partial<Notification> = {},
): Promise<Notification> {
  const common = { account_id: accountId, is_enabled: true, datetime: '2026-11-21 14:05:09' };
  const campaign = await dataSource.manager.save(Campaign, { ...common, name: 'Spring' });
  return dataSource.manager.save(Notification, {
    ...common,
    campaign_id: campaign.id,
    notification_key: randomBytes(16).toString('hex'),
    name: 'Weekend offer',
    type: 'INFORMATIONAL',
    settings: {},
    ...given,
  });
}

/** Inserts domains with sixty different times, and without `last_datetime` where `isNull`. */
export async function insertDomains(
  { dataSource }: TestApplication,
  account_id: number,
  count: number,
  isNull: (index: number) => boolean = () => true,
): Promise<void> {
  const common = { account_id, scheme: 'https://', custom_index_url: '', custom_not_found_url: '', is_enabled: true };
  const rows = Array.from({ length: count }, (_, index) => {
    const datetime = `2026-01-01 00:00:${String(index % 60).padStart(2, '0')}`;
    return { ...common, host: newHost(), datetime, last_datetime: isNull(index) ? null : datetime };
  });
  await insertRows(dataSource, Domain, rows);
}
