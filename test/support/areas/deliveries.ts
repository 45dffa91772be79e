import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { DeliveryAttempt } from '../../../src/deliveries/delivery.entity';
import type { TestAccount, TestApplication } from '../http/application';
import { until } from '../jest/clock';
import { answer, receiver } from '../servers/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from './records';

/** Real sockets, to receivers on loopback. */
export const REACH_LOOPBACK = { OUTBOUND_ALLOW: '127.0.0.1/32' };

type Sender = Pick<TestAccount, 'client'>;

export interface DeliveryBody {
  id: number;
  message_id: number;
  handler_id: number;
  type: string;
  status: string;
  outcome: string | null;
  attempts: number;
  next_attempt: string | null;
  receipt: { status: string; code: number | null; datetime: string } | null;
  last_datetime: string | null;
  datetime: string;
  log: { number: number; datetime: string; duration_ms: number; outcome: string; status: number | null; detail: string }[];
}

export function createWebhook({ client }: Sender, url: string, name = 'Pager'): Promise<number> {
  return client.create(HANDLERS, { name, type: 'webhook', webhook: url });
}

interface PageBody<R> {
  data: R[];
  meta: { total: number };
  links: Record<string, string | null>;
}

export async function pageOf<R>({ client }: Sender, path: string): Promise<PageBody<R>> {
  return (await client.get(path).expect(200)).body as PageBody<R>;
}

export async function idsOf(account: Sender, path: string): Promise<number[]> {
  return (await pageOf<{ id: number }>(account, path)).data.map(({ id }) => id);
}

export interface MessageBody {
  text: string;
  send_at: string | null;
  expires_at: string | null;
  until: string | null;
  acknowledged: { datetime: string; delivery_id: number | null } | null;
  repeats: number;
  deliveries: Record<string, number>;
}

export async function readMessage({ client }: Sender, id: number): Promise<MessageBody> {
  return ((await client.get(`${MESSAGES}/${id}`).expect(200)).body as { data: MessageBody }).data;
}

export interface EventBody {
  type: string;
  record: { type: string; id: number };
  actor: { type: string; id: number | null };
  data: Record<string, unknown>;
}

/** The events of an account with these types. */
export async function eventsOf(account: Sender, types: string): Promise<EventBody[]> {
  return (await pageOf<EventBody>(account, `/api/events?limit=1000&types=${types}`)).data;
}

/** The audit entries of an account for one kind of record, in order. */
export async function auditOf(application: TestApplication, { id }: TestAccount, noun: string): Promise<Record<string, unknown>[]> {
  return (await application.audited()).filter(({ account_id, record }) => account_id === id && record === noun);
}

/** Sends a message and returns the ids of its deliveries. */
export async function sendMessage(account: Sender, handlerIds: number[], fields: Record<string, string> = {}): Promise<number[]> {
  const id = await account.client.create(MESSAGES, { text: 'The backup failed.', handler_ids: handlerIds.join(','), ...fields });
  return idsOf(account, `${DELIVERIES}?message_id=${id}&results_per_page=1000`);
}

export async function readDelivery({ client }: Sender, id: number): Promise<DeliveryBody> {
  const { body } = await client.get(`${DELIVERIES}/${id}`);
  return (body as { data: DeliveryBody }).data;
}

/** `webhook-id` of a delivery that was created since the last restore. */
export async function webhookIdIn({ dataSource }: Pick<TestApplication, 'dataSource'>, id: number): Promise<string> {
  const [{ part }] = await dataSource.query<{ part: string }[]>('SELECT part FROM installations');
  return `msg_${part}_${id}`;
}

/** Waits until a delivery meets the condition. */
export function deliveryWhen(account: Sender, id: number, is: (delivery: DeliveryBody) => boolean): Promise<DeliveryBody> {
  return until(() => readDelivery(account, id), is);
}

export function finished(account: Sender, id: number): Promise<DeliveryBody> {
  return deliveryWhen(account, id, ({ status }) => status !== 'pending');
}

/** Creates a delivery that has failed by a 410. Resets the receiver. */
export async function failedDelivery(account: TestAccount, handler: number): Promise<number> {
  receiver.answer = answer(410);
  const [id] = await sendMessage(account, [handler]);
  expect(await finished(account, id)).toMatchObject({ status: 'failed', attempts: 1 });
  receiver.reset();
  return id;
}

/** Runs work between the next read of a delivery's log and the reads after it. */
export function onceLogIsRead({ dataSource: { manager } }: Pick<TestApplication, 'dataSource'>, work: () => Promise<unknown>): void {
  const find = manager.find.bind(manager);
  const spy = jest.spyOn(manager, 'find').mockImplementation(async (entity, options) => {
    const rows = await find(entity, options);
    if (entity !== DeliveryAttempt) return rows;
    spy.mockRestore();
    await work();
    return rows;
  });
}

/** Waits for a cycle of the delivery worker that starts after the call, and so has claimed all due deliveries. */
export async function nextDeliveryCycle({ app }: TestApplication): Promise<void> {
  const worker = app.get(DeliveryWorker);
  const isCycling = worker.loop.state === 'cycling';
  worker.loop.wake();
  await worker.loop.cycleEnd();
  if (isCycling) await worker.loop.cycleEnd();
}
