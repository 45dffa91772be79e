/** @mysql whole */
import { Body, Controller, Get, Injectable, Module, Param, Post } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Webhook } from 'standardwebhooks';
import { Column, Entity } from 'typeorm';
import { AccountRecord } from '../../src/auth/accounts/account.entity';
import { AccountsService } from '../../src/auth/accounts/accounts.service';
import { AccountId, WriteContextOf } from '../../src/auth/caller';
import { type ScopeName, Scope } from '../../src/auth/route-policies';
import type { WriteContext } from '../../src/platform/common/write-context';
import { AuditLog } from '../../src/events/audit-log';
import { Records } from '../../src/platform/database/records/records';
import { MessageSender } from '../../src/messages/message-sender';
import { Enqueuer } from '../../src/deliveries/queue/enqueuer';
import { UNDISPATCHED } from '../../src/events/subscriptions/subscription.entity';
import { Subscriptions } from '../../src/events/subscriptions/subscriptions';
import { NotificationHandler } from '../../src/notification-handlers/notification-handler.entity';
import { ParseRecordIdPipe } from '../../src/platform/http/input/parse-record-id.pipe';
import { IsText } from '../../src/platform/http/input/rules';
import { RecordField } from '../../src/platform/http/record-fields';
import { ApiCreate, ApiRead } from '../../src/platform/http/routes';
import { asId } from '../../src/platform/http/responses';
import { type TestAccount, type TestApplication, useApplication, withApplication } from '../support/http/application';
import { holdClock } from '../support/jest/clock';
import { runCommand } from '../support/areas/command';
import { onMysql } from '../support/servers/database';
import { auditOf, createWebhook, deliveryWhen, failedDelivery, pageOf, sendMessage } from '../support/areas/deliveries';
import { expectErrors } from '../support/http/errors';
import { insertRows } from '../support/areas/insert-rows';
import { createTableOf } from '../support/extensions/ledger';
import { answer, receiver } from '../support/servers/receiver';
import { DELIVERIES, DOMAINS, HANDLERS, HANDLERS_READ, MESSAGES, newHost } from '../support/areas/records';

@Entity('memos')
class Memo extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  name: string;
}

class MemoRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'string', example: 'Milk' })
  name: string;
}

class CreateMemo {
  @IsText(32, 'Name.', { example: 'Milk' })
  name: string;
}

/** Describes its events by their names. */
@Injectable()
class Memos {
  readonly table = this.records.table<MemoRecord>(Memo, MemoRecord, {
    present(record) {
      if (record.name === 'secret') throw new Error('This memo can not be shown.');
      return { ...record };
    },
    describeEvent(_event, memo) {
      if (memo?.name === 'faulty') throw new Error('This memo can not be described.');
      if (memo?.name === 'empty') return { title: 'Memo', text: '' };
      if (memo?.name === 'long') return { title: 'L'.repeat(300), text: 'l'.repeat(5_000), url: 'javascript:alert(1)' };
      if (!memo || memo.name === 'plain') return undefined;
      return { title: 'Memo!', text: `Read ${memo.name}.`, url: 'https://example.com/memo' };
    },
  });

  constructor(readonly records: Records) {}
}

@Scope('domains:write')
@Controller('memos')
class MemosController {
  constructor(private readonly memos: Memos) {}

  @Get(':memo_id')
  @ApiRead('memo_id', MemoRecord, 'Read a memo')
  async find(@AccountId() accountId: number, @Param('memo_id', ParseRecordIdPipe) id: number) {
    return { data: (await this.memos.records.find(this.memos.table, accountId, id)).record };
  }

  @Post()
  @ApiCreate('Create a memo')
  create(@WriteContextOf('memos.create') context: WriteContext, @Body() input: CreateMemo) {
    return asId(this.memos.records.insert(this.memos.table, context, { ...input }));
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Memo])], providers: [Memos], controllers: [MemosController] })
class MemosModule {}

interface EventBody {
  id: string;
  type: string;
  datetime: string;
  record: { type: string; id: number } | null;
  data: Record<string, unknown>;
  current?: Record<string, unknown> | null;
}
interface MessageBody {
  id: number;
  title: string;
  text: string;
  url: string;
}

const { application, database } = useApplication({}, { name: 'memos', modules: [MemosModule] });
let account: TestAccount;

beforeAll(() => createTableOf(application(), Memo));
beforeEach(async () => {
  receiver.move(); // late requests of other tests go elsewhere
  account = await application().createAccount();
});

const eventsOf = (handler: number) => `${HANDLERS}/${handler}/events`;
const subscribe = (handler: number, types: string, { client } = account) => client.post(eventsOf(handler), { types }).expect(200);
const webhook = (owner = account) => createWebhook(owner, receiver.url('/'));
const addDomain = (owner = account) => owner.client.create(DOMAINS, { host: newHost() });
const feed = async (types: string, owner = account) => (await pageOf<EventBody>(owner, `/api/events?limit=1000&types=${types}`)).data;
const idsOfFeed = async (types: string, owner = account) => (await feed(types, owner)).map(({ id }) => id);
const messagesOf = async (owner = account) => (await pageOf<MessageBody>(owner, `${MESSAGES}?results_per_page=1000`)).data;
const receivedIds = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
const withScopes = async (...scopes: ScopeName[]) => (await application().createKey(account.id, { scopes })).client;
const LACKS = { code: 'insufficient_scope', source: 'header.Authorization' } as const;

/** A webhook that is subscribed to these events. */
async function subscriber(types = 'domain.created'): Promise<number> {
  const handler = await webhook();
  await subscribe(handler, types);
  return handler;
}

/** Waits until all events of an account have been dispatched to its handlers. */
async function dispatched({ id }: TestAccount = account): Promise<void> {
  const sql = `SELECT 1 AS one FROM events JOIN event_cursors c ON c.account_id = events.account_id WHERE events.account_id = ?
    AND (events.number IS NULL OR events.number > c.number OR (events.number = c.number AND events.id >= c.event_id))`;
  while ((await application().dataSource.query<unknown[]>(sql, [id])).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits for the accounts of other tests, too, whose undispatched events are kept. */
async function dispatchedAll(): Promise<void> {
  const sql = `SELECT 1 AS one FROM event_cursors cursors WHERE EXISTS (SELECT 1 FROM events WHERE ${UNDISPATCHED})`;
  while ((await application().dataSource.query<unknown[]>(sql)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Stops the dispatcher, as if it were behind. */
function holdDispatcher({ app }: TestApplication = application()): { release(): void } {
  const held = jest.spyOn(app.get(Subscriptions), 'findEnabled').mockRejectedValue(new Error('held'));
  return { release: () => held.mockRestore() };
}

describe('/api/notification-handlers/:handler_id/events', () => {
  test('event types are empty by default, set as given, and cleared by none', async () => {
    const handler = await webhook();
    for (const path of [HANDLERS, HANDLERS_READ].map((root) => `${root}/${handler}/events`)) {
      expect((await account.client.get(path).expect(200)).body).toEqual({ data: { types: [] } });
      for (const types of ['domain.*,delivery.failed', 'import.completed', '']) {
        const expected = { data: { types: types === '' ? [] : types.split(',') } };
        expect((await account.client.post(path, { types }).expect(200)).body).toEqual(expected);
        expect((await account.client.get(path).expect(200)).body).toEqual(expected);
      }
      await account.client.post(path, { types: 'domain.*' }).expect(200);
      expect((await account.client.post(path).expect(200)).body).toEqual({ data: { types: [] } });
    }
  });

  test('subscribing rejects unknown and repeated types', async () => {
    const handler = await webhook();
    for (const types of [
      'domain',
      'domain.created,',
      '*',
      '.*',
      'domain.created,domain.created',
      'x'.repeat(3_000),
      'domain.created, message.created',
    ])
      expectErrors(await account.client.post(eventsOf(handler), { types }), { code: 'invalid_parameter', source: 'form.types' });
    for (const types of ['coupon.*', 'domain.created,domain.moved', 'signing_secret.*', 'dom.*']) {
      const detail = /delivery\.failed, .*domain\.created, .*import\.completed, .*memo\.created/;
      expectErrors(await account.client.post(eventsOf(handler), { types }), { code: 'invalid_parameter', source: 'form.types', detail });
    }
    expect((await account.client.get(eventsOf(handler))).body).toEqual({ data: { types: [] } });
  });

  test('subscribing returns 404 for a foreign or unknown handler', async () => {
    const handler = await webhook();
    const stranger = await application().createAccount();
    for (const id of [handler, 999_999]) {
      expectErrors(await stranger.client.get(eventsOf(id)), { code: 'not_found' });
      expectErrors(await stranger.client.post(eventsOf(id), { types: 'domain.*' }), { code: 'not_found' });
    }
    expect(await application().dataSource.query('SELECT * FROM handler_events WHERE handler_id = ?', [handler])).toEqual([]);
  });

  test('subscribing is audited, and is not an event', async () => {
    const handler = await subscriber('notification_handler.*');
    const entries = await auditOf(application(), account, 'notification handler');
    expect(entries.map(({ action, record_id, key_id }) => [action, record_id, key_id])).toEqual([
      ['create', handler, account.keyId],
      ['set_events', handler, account.keyId],
    ]);
    expect((await feed('notification_handler.*')).map(({ type }) => type)).toEqual(['notification_handler.created']);
  });

  test('subscribing honors Idempotency-Key', async () => {
    const handler = await webhook();
    const post = (types: string) => account.client.post(eventsOf(handler), { types }).set('Idempotency-Key', 'one');
    for (let count = 0; count < 2; count++) expect((await post('domain.*').expect(200)).body).toEqual({ data: { types: ['domain.*'] } });
    expect((await post('memo.*')).status).toBe(422);
    expect((await auditOf(application(), account, 'notification handler')).map(({ action }) => action)).toEqual(['create', 'set_events']);
  });

  test('subscribing requires the read scopes of the event types', async () => {
    const handler = await webhook();
    const without = await withScopes('notification-handlers:write');
    expectErrors(await without.post(eventsOf(handler), { types: '' }), { ...LACKS, detail: /events:read/ });
    const some = await withScopes('notification-handlers:write', 'events:read', 'domains:read');
    expectErrors(await some.post(eventsOf(handler), { types: 'domain.*,delivery.failed' }), { ...LACKS, detail: /messages:read/ });
    const part = await withScopes('notification-handlers:write', 'events:read', 'scheduling:read');
    expectErrors(await part.post(eventsOf(handler), { types: 'import.completed' }), { ...LACKS, detail: /notifications:read/ });
    expectErrors(await some.get(eventsOf(handler)), { ...LACKS, detail: /notification-handlers:read/ });
    await some.post(eventsOf(handler), { types: 'domain.*' }).expect(200);
  });

  test('changing the target of a subscribed handler requires the same scopes', async () => {
    const handler = await webhook();
    const some = await withScopes('notification-handlers:write', 'events:read', 'secrets:read');
    const changes: Record<string, string>[] = [
      { webhook: receiver.url('/else') },
      { type: 'slack', slack: receiver.url('/else') },
      { type: 'webhook', webhook: receiver.url('/else'), name: 'x' },
      { type: 'email' },
    ];
    await some.post(`${HANDLERS}/${handler}`, changes[0]).expect(200); // it has no subscriptions yet
    await subscribe(handler, 'notification_handler.updated,domain.created');
    await some.post(`${HANDLERS}/${handler}`, { name: 'Renamed' }).expect(200);
    const before = await application().rows('notification_handlers');
    for (const change of changes)
      expectErrors(await some.post(`${HANDLERS}/${handler}`, change), { ...LACKS, detail: /domains:read|notification-handlers:read/ });
    expectErrors(await some.post(`${HANDLERS}/${handler}/signing-secret`), LACKS);
    expect(await application().rows('notification_handlers')).toEqual(before);
    const blind = await withScopes('notification-handlers:write', 'notification-handlers:read', 'domains:read', 'secrets:read');
    expectErrors(await blind.post(`${HANDLERS}/${handler}`, changes[0]), { ...LACKS, detail: /events:read/ });
    await account.client.post(`${HANDLERS}/${handler}`, changes[0]).expect(200);
    await account.client.post(`${HANDLERS}/${handler}/signing-secret`).expect(200);
  });
});

describe('event webhook', () => {
  test('each attempt sends the event of the feed in the same body, signed', async () => {
    const clock = holdClock(application());
    const handler = await subscriber();
    receiver.answer = answer(503);
    const domain = await addDomain();
    await receiver.received(1);
    const [{ id: delivery }] = (await pageOf<{ id: number }>(account, `${DELIVERIES}?handler_id=${handler}`)).data;
    await deliveryWhen(account, delivery, ({ log }) => log.length === 1);
    receiver.answer = answer(204);
    await account.client.post(`${DOMAINS}/${domain}`, { custom_index_url: 'https://example.com/' }).expect(200);
    clock.move(6_000);
    const [first, second] = await receiver.received(2);
    const [event] = (await pageOf<EventBody>(account, '/api/events?types=domain.created&include=record')).data;
    expect(first.body).toBe(second.body);
    expect([first, second].map(({ headers }) => headers['webhook-id'])).toEqual([event.id, event.id]);
    const body = JSON.parse(first.body) as { type: string; timestamp: string; data: EventBody };
    const { current, ...rest } = event;
    expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data']);
    expect(body).toEqual({
      type: 'domain.created',
      timestamp: `${event.datetime.replace(' ', 'T')}Z`,
      data: { ...rest, current: { ...current, custom_index_url: '', last_datetime: null } },
    });
    const secret = (await account.client.get(`${HANDLERS}/${handler}/signing-secret`)).body as { data: { secret: string } };
    for (const { body: sent, headers } of [first, second]) new Webhook(secret.data.secret).verify(sent, headers as Record<string, string>);
  });

  test('a webhook masks the settings of handlers', async () => {
    await subscriber('notification_handler.created');
    await createWebhook(account, 'https://hooks.example.com/a-secret');
    const [{ body }] = await receiver.received(1);
    expect(JSON.parse(body)).toMatchObject({ data: { current: { name: 'Pager', settings: expect.anything() as object } } });
    expect(body).not.toContain('a-secret');
  });

  test('a webhook reports a deleted record with its name', async () => {
    await subscriber('domain.deleted');
    const host = newHost();
    await account.client.delete(`${DOMAINS}/${await account.client.create(DOMAINS, { host })}`).expect(200);
    const [{ body }] = await receiver.received(1);
    expect(JSON.parse(body)).toMatchObject({ type: 'domain.deleted', data: { data: { host }, current: null } });
    expect(await messagesOf()).toMatchObject([{ title: 'Domain deleted', text: `${host} was deleted: visitors get a 404.`, url: '' }]);
  });
});

test('other handler types get a sentence, which is also the message’s text', async () => {
  const handler = await account.client.create(HANDLERS, { name: 'Chat', type: 'slack', slack: receiver.url('/slack') });
  await subscribe(handler, 'delivery.failed');
  const pager = await webhook();
  receiver.answer = (response, { path }) => void response.writeHead(path === '/slack' ? 200 : 410).end();
  await sendMessage(account, [pager], { title: 'Backup failed', url: 'https://example.com/log' });
  const requests = await receiver.received(2);
  const sentence = '"Backup failed" could not be delivered by Pager (webhook): the receiver answered 410.';
  const sent = JSON.parse(requests.find(({ path }) => path === '/slack')!.body) as { text: string };
  expect(sent.text).toBe(['Delivery failed', sentence, 'https://example.com/log'].join('\n'));
  const [message] = (await messagesOf()).filter(({ title }) => title === 'Delivery failed');
  expect(message).toMatchObject({ text: sentence, url: 'https://example.com/log' });
});

test('an extension may describe its events, and a faulty description delays no event', async () => {
  await subscriber('memo.*');
  for (const name of ['Milk', 'plain', 'faulty', 'empty', 'secret', 'long', 'Bread']) await account.client.create('/memos', { name });
  await dispatched();
  const messages = (await messagesOf()).map(({ title, text: sentence, url }) => [title, sentence, url]);
  const plain = ['Memo created', expect.stringMatching(/^The memo \d+ was created\.$/), ''];
  const own = (name: string) => ['Memo!', `Read ${name}.`, 'https://example.com/memo'];
  const long = [`${'L'.repeat(199)}…`, `${'l'.repeat(3_999)}…`, ''];
  expect(messages).toEqual([own('Milk'), plain, plain, plain, plain, long, own('Bread')]);
  expect((await pageOf(account, `${MESSAGES}?text=read+milk`)).meta.total).toBe(1);
  const names = (await receiver.received(7)).map(({ body }) => (JSON.parse(body) as { data: EventBody }).data.current?.name);
  expect(names.sort()).toEqual(['Bread', 'Milk', 'empty', 'faulty', 'long', 'plain', undefined]); // the record named secret cannot be presented
});

describe('message about an event', () => {
  test('neither messages about events nor their attempts, retries and cancellations are events', async () => {
    receiver.answer = answer(410);
    const handler = await subscriber('delivery.*,message.*,domain.*,notification_handler.*');
    await addDomain();
    await receiver.received(1);
    const [{ id }] = (await pageOf<{ id: number }>(account, `${DELIVERIES}?handler_id=${handler}`)).data;
    await deliveryWhen(account, id, ({ status }) => status === 'failed');
    await account.client.post(`${DELIVERIES}/${id}/retry`).expect(200);
    await deliveryWhen(account, id, ({ status, attempts }) => status === 'failed' && attempts === 2);
    expect((await account.client.post(`${DELIVERIES}/retry`, { status: 'failed' })).status).toBe(200);
    await deliveryWhen(account, id, ({ status, attempts }) => status === 'failed' && attempts === 3);
    receiver.answer = answer(503);
    await account.client.post(`${DELIVERIES}/${id}/retry`).expect(200);
    await deliveryWhen(account, id, ({ log }) => log.length === 4);
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: 'false' }).expect(200);
    await deliveryWhen(account, id, ({ status }) => status === 'cancelled');
    await dispatched();
    expect(await feed('delivery.*,message.*')).toEqual([]);
    expect(await messagesOf()).toHaveLength(1);
    expect((await auditOf(application(), account, 'delivery')).map(({ action }) => action)).toEqual(['retry', 'retry', 'retry']);
  });

  test('a failed delivery of another message is reported once', async () => {
    await subscriber('delivery.*,message.*');
    const other = await webhook();
    await failedDelivery(account, other);
    await dispatched();
    const titles = (await messagesOf()).map(({ title }) => title).sort();
    expect(titles).toEqual(['', 'Delivery failed', 'Message sent']);
  });
});

describe('start of a subscription', () => {
  test('events from before the subscription are not sent', async () => {
    await subscriber(); // creates the account's cursor
    const dispatcher = holdDispatcher();
    await addDomain();
    const late = await webhook();
    await subscribe(late, 'domain.created');
    dispatcher.release();
    await addDomain();
    await dispatched();
    expect((await pageOf(account, `${DELIVERIES}?handler_id=${late}`)).meta.total).toBe(1);
    expect(await messagesOf()).toHaveLength(3);
  });

  test('events from before the handler was enabled are not sent', async () => {
    const handler = await subscriber();
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: 'false' }).expect(200);
    const dispatcher = holdDispatcher();
    await addDomain();
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: 'true' }).expect(200);
    dispatcher.release();
    await addDomain();
    await dispatched();
    expect(await messagesOf()).toHaveLength(1);
  });

  test('setting the same types again skips no event', async () => {
    const handler = await subscriber();
    const dispatcher = holdDispatcher();
    await addDomain();
    await subscribe(handler, 'domain.created');
    await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: 'true', name: 'Same' }).expect(200);
    dispatcher.release();
    await dispatched();
    expect(await messagesOf()).toHaveLength(1);
  });

  test('events from before a reset are not sent', async () => {
    await subscriber();
    const dispatcher = holdDispatcher();
    await addDomain();
    expect(await runCommand(database().env, ['events', 'reset'])).toMatchObject({ code: 0 });
    dispatcher.release();
    await addDomain();
    await dispatched();
    expect(await messagesOf()).toHaveLength(1);
    expect((await receiver.received(1)).map(({ headers }) => headers['webhook-id'])).toEqual((await idsOfFeed('domain.created')).slice(-1));
  });
});

describe('dispatch', () => {
  test('a failed transaction neither loses nor repeats an event', async () => {
    await subscriber();
    const enqueuer = application().app.get(Enqueuer);
    const enqueue = enqueuer.enqueue.bind(enqueuer);
    let calls = 0;
    jest.spyOn(enqueuer, 'enqueue').mockImplementation(async (...given) => {
      await enqueue(...given);
      if (++calls === 2) throw new Error('The process dies.');
    });
    for (let count = 0; count < 5; count++) await addDomain();
    await dispatched();
    await receiver.received(5);
    expect(receivedIds().sort()).toEqual((await idsOfFeed('domain.created')).sort());
    expect(await messagesOf()).toHaveLength(5);
  });

  (onMysql ? test : test.skip)('two processes send each event once', async () => {
    const first = await webhook();
    const second = await webhook();
    for (const handler of [first, second]) await subscribe(handler, 'domain.created');
    await withApplication({ ...database().env, DELIVERY_CONCURRENCY: '1' }, async () => {
      for (let count = 0; count < 40; count++) await addDomain();
      await dispatched();
    });
    await receiver.received(80);
    const ids = await idsOfFeed('domain.created');
    expect(receivedIds().sort()).toEqual([...ids, ...ids].sort());
  });
});

test('an account whose dispatch fails does not delay others', async () => {
  await subscriber();
  const other = await application().createAccount();
  await subscribe(await webhook(other), 'domain.created', other);
  const messages = application().app.get(MessageSender);
  const write = messages.write.bind(messages);
  jest.spyOn(messages, 'write').mockImplementation((...given) => {
    if (given[1].accountId === account.id) throw new Error('A row that can not be written.');
    return write(...given);
  });
  await addDomain();
  await addDomain(other);
  await dispatched(other);
  expect([(await messagesOf()).length, (await messagesOf(other)).length]).toEqual([0, 1]);
  jest.restoreAllMocks();
  await dispatched();
  expect(await messagesOf()).toHaveLength(1);
});

test('an account with many events does not delay others', async () => {
  await subscriber();
  const other = await application().createAccount();
  await subscribe(await webhook(other), 'domain.created', other);
  receiver.answer = answer(200);
  const dispatcher = holdDispatcher();
  await addDomain();
  const columns = 'datetime, account_id, key_id, action, record, record_id, is_audited, is_by_service, data';
  const copy = `INSERT INTO events (${columns}) SELECT ${columns} FROM events WHERE account_id = ? AND record = 'domain'`;
  for (let count = 0; count < 8; count++) await application().dataSource.query(copy, [account.id]);
  await addDomain(other);
  dispatcher.release();
  await dispatched(other);
  const [own, others] = [
    await application().dataSource.query<{ id: number }[]>('SELECT id FROM messages WHERE account_id = ?', [account.id]),
    await messagesOf(other),
  ];
  expect(others).toHaveLength(1);
  expect(own.filter(({ id }) => id < others[0].id).length).toBeLessThan(101);
  await dispatched();
  expect((await pageOf(account, MESSAGES)).meta.total).toBe(256);
});

describe('event retention', () => {
  test('events that were not dispatched yet are kept', async () => {
    await subscriber();
    const dispatcher = holdDispatcher();
    await addDomain();
    const { dataSource, app } = application();
    await dataSource.query("UPDATE events SET datetime = '2026-01-01 00:00:00' WHERE account_id = ?", [account.id]);
    await app.get(AuditLog).expire();
    expect(await runCommand(database().env, ['audit', 'prune', '--before', '2026-02-01'])).toMatchObject({ code: 0 });
    dispatcher.release();
    await dispatched();
    expect(await messagesOf()).toHaveLength(1);
  });

  test('a subscription of an account without events keeps no events of others', async () => {
    await subscriber(); // no event follows
    const other = await application().createAccount();
    await addDomain(other);
    const { dataSource, app } = application();
    await app.get(AuditLog).expire();
    await dataSource.query("UPDATE events SET datetime = '2026-01-01 00:00:00' WHERE number IS NOT NULL");
    await dispatchedAll();
    await app.get(AuditLog).expire();
    expect(await feed('domain.created', other)).toEqual([]);
  });
});

test('event types of a removed extension are ignored', async () => {
  const handler = await subscriber('domain.created');
  await application().dataSource.query("UPDATE handler_events SET types = 'coupon.*,domain.created' WHERE handler_id = ?", [handler]);
  expect((await account.client.get(eventsOf(handler))).body).toEqual({ data: { types: ['coupon.*', 'domain.created'] } });
  await addDomain();
  await dispatched();
  expect(await messagesOf()).toHaveLength(1);
});

test('deleting a handler deletes its subscription', async () => {
  const handler = await subscriber('notification_handler.*,domain.created');
  await account.client.delete(`${HANDLERS}/${handler}`).expect(200);
  await addDomain();
  await dispatched();
  expect(await messagesOf()).toEqual([]);
  expect(await application().dataSource.query('SELECT * FROM handler_events WHERE handler_id = ?', [handler])).toEqual([]);
});

test('each event is sent once to hundreds of handlers', async () => {
  const first = await subscriber('domain.*');
  const { dataSource } = application();
  const dispatcher = holdDispatcher();
  const stored = (await application().rows('notification_handlers')).filter(({ id }) => id === first);
  const [copy] = stored.map(({ id: _, ...columns }) => columns);
  await insertRows(dataSource, NotificationHandler, Array<object>(300).fill(copy));
  await dataSource.query(
    `INSERT INTO handler_events (handler_id, account_id, types, since)
      SELECT copies.id, first.account_id, first.types, first.since FROM notification_handlers copies
      JOIN handler_events first ON first.account_id = copies.account_id AND first.handler_id <> copies.id WHERE first.handler_id = ?`,
    [first],
  );
  for (let count = 0; count < 3; count++) await addDomain();
  dispatcher.release();
  await dispatched();
  const counts = await dataSource.query<{ handler_id: number; count: number | string }[]>(
    'SELECT handler_id, COUNT(*) AS count FROM deliveries WHERE account_id = ? GROUP BY handler_id',
    [account.id],
  );
  expect([counts.length, new Set(counts.map(({ count }) => Number(count)))]).toEqual([301, new Set([3])]);
});

test('deleting an account deletes its cursor and subscriptions', async () => {
  const { name } = (await application().rows('accounts')).find(({ id }) => id === account.id)!;
  await subscriber();
  await application().app.get(AccountsService).setEnabled(account.id, false);
  await application().dataSource.query("UPDATE accounts SET disabled_datetime = '2026-01-01 00:00:00' WHERE id = ?", [account.id]);
  expect(await runCommand(database().env, ['accounts', 'delete', String(name), '--with-records'])).toMatchObject({ code: 0 });
  for (const table of ['event_cursors', 'handler_events'])
    expect(await application().dataSource.query(`SELECT * FROM ${table} WHERE account_id = ?`, [account.id])).toEqual([]);
});
