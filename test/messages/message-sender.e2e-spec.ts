/** @mysql whole */
import { type Abstract, Body, Controller, Injectable, Module, Post, type Type } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { WriteContextOf } from '../../src/auth/caller';
import { Scope } from '../../src/auth/route-policies';
import { operatorContext, type WriteContext } from '../../src/platform/common/write-context';
import { Dialect, type SqlExecutor } from '../../src/platform/database/dialect';
import { WriteExecutor } from '../../src/platform/database/writes/transactions';
import { MessageSender, type SendResult } from '../../src/messages/message-sender';
import { IsHandlerIds, type CreateMessage } from '../../src/messages/message.dto';
import { DeliveryWorker } from '../../src/deliveries/sending/delivery-worker';
import { IsText } from '../../src/platform/http/input/rules';
import { RequestError } from '../../src/platform/common/errors';
import { Background } from '../../src/platform/jobs/background';
import { type TestAccount, useApplication } from '../support/http/application';
import { auditOf, createWebhook, type DeliveryBody, finished, pageOf } from '../support/areas/deliveries';
import { createTableOf, Entry } from '../support/extensions/ledger';
import { receiver } from '../support/servers/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../support/areas/records';

class NewBooking {
  @IsText(64, 'Who comes.', { example: 'Ana' })
  name: string;

  @IsOptional()
  @IsHandlerIds('Handlers to notify.')
  handler_ids?: number[];

  @IsOptional()
  @IsText(9, 'Whether to fail after everything has been written.', { example: 'yes' })
  refused?: string;
}

/** Stores a booking and sends a message about it in one transaction: by an entity, by SQL and in TypeORM's own. */
@Injectable()
class BookingsService {
  readonly results: SendResult[] = [];

  constructor(
    private readonly executor: WriteExecutor,
    private readonly messages: MessageSender,
    private readonly dataSource: DataSource,
  ) {}

  createEntity(context: WriteContext, booking: NewBooking): Promise<number> {
    return this.executor.runOnce(context, ({ manager }) => this.save(manager, context, booking));
  }

  createByStatements(context: WriteContext, booking: NewBooking): Promise<number> {
    return this.executor.runOnce(context, async (statements) => {
      const { id } = await statements.write('INSERT INTO ledger (text) VALUES (?)', [booking.name]);
      return this.notify(statements, context, id, booking);
    });
  }

  createInTypeorm(context: WriteContext, booking: NewBooking): Promise<number> {
    return this.dataSource.transaction((manager) => this.save(manager, context, booking));
  }

  private async save(manager: EntityManager, context: WriteContext, booking: NewBooking): Promise<number> {
    const { id } = await manager.save(Entry, { text: booking.name });
    return this.notify(manager, context, id, booking);
  }

  private async notify(transaction: EntityManager | SqlExecutor, context: WriteContext, id: number, booking: NewBooking): Promise<number> {
    const { name, handler_ids, refused } = booking;
    const message = { title: 'New booking', text: `${name}\r\ncomes.`, url: `https://example.com/bookings/${id}`, handler_ids };
    this.results.push(await this.messages.send(transaction, context, message));
    if (refused) throw RequestError.of('not_found', 'Refused as requested.');
    return id;
  }
}

@Scope('domains:write')
@Controller('bookings')
class BookingsController {
  constructor(private readonly bookings: BookingsService) {}

  @Post('entity')
  createEntity(@WriteContextOf('bookings.entity') context: WriteContext, @Body() booking: NewBooking) {
    return this.bookings.createEntity(context, booking);
  }

  @Post('statements')
  createByStatements(@WriteContextOf('bookings.statements') context: WriteContext, @Body() booking: NewBooking) {
    return this.bookings.createByStatements(context, booking);
  }

  @Post('typeorm')
  createInTypeorm(@WriteContextOf('bookings.typeorm') context: WriteContext, @Body() booking: NewBooking) {
    return this.bookings.createInTypeorm(context, booking);
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Entry])], controllers: [BookingsController], providers: [BookingsService] })
class BookingsModule {}

const { application } = useApplication({}, BookingsModule);
let account: TestAccount;
let handler: number;

beforeAll(() => createTableOf(application(), Entry));
beforeEach(async () => {
  results().length = 0;
  account = await application().createAccount();
  handler = await createWebhook(account, receiver.url(`/${account.id}`));
});

const PATHS = ['/bookings/entity', '/bookings/statements'];
const provider = <T>(type: Type<T> | Abstract<T>) => application().app.get(type);
/** Each test has its own account, so these are its own deliveries. */
const received = () =>
  receiver.requests.filter(({ path }) => path === `/${account.id}`).map(({ body }) => (JSON.parse(body) as { data: object }).data);
const results = () => provider(BookingsService).results;
const messagesOf = async (of: TestAccount) => (await pageOf<{ id: number; text: string }>(of, MESSAGES)).data;
const deliveriesOf = async (of: TestAccount) => (await pageOf<DeliveryBody>(of, DELIVERIES)).data;
const send = (message: CreateMessage, of = account) =>
  provider(WriteExecutor).run((transaction) => provider(MessageSender).send(transaction, operatorContext(of.id), message));

describe.each([...PATHS, '/bookings/typeorm'])('MessageSender.send() in the transaction of %s', (path) => {
  test('a message is delivered once after the commit and is readable by the API', async () => {
    const id = Number((await account.client.post(path, { name: 'Ana' }).set('X-Request-Id', 'booked').expect(201)).text);
    const [delivery] = await deliveriesOf(account);
    const { message_id } = await finished(account, delivery.id);
    expect(results()).toEqual([{ messageId: message_id, deliveries: 1 }]);
    expect((await messagesOf(account))[0]).toMatchObject({
      id: message_id,
      title: 'New booking',
      text: 'Ana\ncomes.',
      url: `https://example.com/bookings/${id}`,
      deliveries: { pending: 0, delivered: 1, failed: 0, cancelled: 0 },
    });
    expect(received()).toEqual([expect.objectContaining({ message_id, delivery_id: delivery.id, text: 'Ana\ncomes.' })]);
    const [entry] = await auditOf(application(), account, 'message');
    expect(entry).toMatchObject({ action: 'create', record_id: message_id, key_id: account.keyId, request_id: 'booked' });
  });

  test('a rollback discards the message and does not wake the worker', async () => {
    const before = await application().dump();
    const wake = jest.spyOn(provider(Background), 'wake');
    await account.client.post(path, { name: 'Ana', refused: 'yes' }).expect(404);
    expect(results()).toEqual([{ messageId: expect.any(Number) as number, deliveries: 1 }]);
    expect(wake).not.toHaveBeenCalled();
    expect(await application().dump()).toEqual(before);
  });
});

describe.each(PATHS)('WriteExecutor transaction of %s', (path) => {
  test('the commit wakes the worker', async () => {
    const committed: Promise<unknown[]>[] = [];
    jest.spyOn(provider(Background), 'wake').mockImplementationOnce(() => committed.push(application().rows('ledger')));
    await account.client.post(path, { name: 'at the commit' }).expect(201);
    expect(await Promise.all(committed)).toEqual([expect.arrayContaining([expect.objectContaining({ text: 'at the commit' })])]);
  });

  test('a message is sent once when its transaction is retried', async () => {
    const dialect = provider(Dialect);
    const kindOf = dialect.errorKind.bind(dialect);
    const deadlock = new Error('Deadlock found.');
    jest.spyOn(dialect, 'errorKind').mockImplementation((error) => (error === deadlock ? 'rolled back' : kindOf(error)));
    const countWritten = results().push.bind(results());
    jest.spyOn(results(), 'push').mockImplementationOnce((result) => {
      countWritten(result);
      throw deadlock;
    });
    await account.client.post(path, { name: 'Ana' }).expect(201);
    expect(results()).toHaveLength(2);
    expect(await messagesOf(account)).toHaveLength(1);
    expect(await deliveriesOf(account)).toHaveLength(1);
  });

  test('a request repeated with an Idempotency-Key sends nothing', async () => {
    const booking = () => account.client.post(path, { name: 'Ana' }).set('Idempotency-Key', 'booking').expect(201);
    expect((await booking()).text).toBe((await booking()).text);
    expect(await messagesOf(account)).toHaveLength(1);
  });
});

test('a message belongs to its account and goes only to that account’s handlers', async () => {
  const other = await application().createAccount();
  const others = await createWebhook(other, receiver.url('/other'));
  await other.client.post(PATHS[0], { name: 'Bia' }).expect(201);
  await other.client.post(PATHS[0], { name: 'Caio', handler_ids: `${handler},${others}` }).expect(201);
  await other.client.post(PATHS[0], { name: 'Davi', handler_ids: String(handler) }).expect(201);
  expect(results().map(({ deliveries }) => deliveries)).toEqual([1, 1, 0]);
  expect((await messagesOf(other)).map((message) => message.text)).toEqual(['Bia\ncomes.', 'Caio\ncomes.']);
  expect((await deliveriesOf(other)).map(({ handler_id }) => handler_id)).toEqual([others, others]);
  expect([await messagesOf(account), await deliveriesOf(account)]).toEqual([[], []]);
});

test('handlers are selected by id, and missing or disabled ones are skipped', async () => {
  const [second, third] = [await createWebhook(account, receiver.url('/second')), await createWebhook(account, receiver.url('/third'))];
  await account.client.post(`${HANDLERS}/${third}`, { is_enabled: '0' }).expect(200);
  expect(await send({ text: 'To one.', handler_ids: [second] })).toMatchObject({ deliveries: 1 });
  expect(await send({ text: 'To one that is left.', handler_ids: [third, second, 999_999] })).toMatchObject({ deliveries: 1 });
  expect(await send({ text: 'To all.' })).toMatchObject({ deliveries: 2 });
  expect((await deliveriesOf(account)).map(({ handler_id }) => handler_id)).toEqual([second, second, handler, second]);
});

test('steps skip missing handlers', async () => {
  const second = await createWebhook(account, receiver.url('/second'));
  const steps = [{ seconds: 300, handlerIds: [second, 999_999] }];
  expect(await send({ text: 'Until somebody has it.', handler_ids: [handler], steps })).toMatchObject({ deliveries: 2 });
  expect(await messagesOf(account)).toMatchObject([{ until: 'acknowledged' }]);
});

test('without an enabled handler, the result is no_handlers and no message is written', async () => {
  await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200);
  const none = { messageId: null, deliveries: 0, reason: 'no_handlers' };
  await account.client.post(PATHS[1], { name: 'no recipient' }).expect(201);
  expect(results()).toEqual([none]);
  expect(await application().rows('ledger')).toContainEqual(expect.objectContaining({ text: 'no recipient' }));
  expect(await send({ text: 'To none.', handler_ids: [] })).toEqual(none);
  expect(await send({ text: 'To one that is disabled.', handler_ids: [handler] })).toEqual(none);
  expect(await messagesOf(account)).toEqual([]);
});

test('with more than 1,000 enabled handlers, the result is too_many_handlers', async () => {
  const columns = 'account_id, name, type, settings, is_enabled, datetime';
  for (let count = 1; count < 1_001; count *= 2) {
    const copy = `INSERT INTO notification_handlers (${columns}) SELECT ${columns} FROM notification_handlers WHERE account_id = ? LIMIT ?`;
    await application().dataSource.query(copy, [account.id, Math.min(count, 1_001 - count)]);
  }
  expect(await send({ text: 'To too many.' })).toEqual({ messageId: null, deliveries: 0, reason: 'too_many_handlers' });
  expect(await messagesOf(account)).toEqual([]);
});

test.each([
  ['text', { text: 'x'.repeat(4_001) }],
  ['title', { text: 'x', title: 'Two\nlines' }],
  ['url', { text: 'x', url: 'ftp://example.com' }],
  ['steps', { text: 'x', steps: [300, 200].map((seconds) => ({ seconds, handlerIds: [1] })) }],
])('an invalid %s throws before anything is written', async (name, message) => {
  await expect(send(message)).rejects.toThrow(`The ${name} of a message must be `);
  expect(await messagesOf(account)).toEqual([]);
});

test.each<[string, (work: (manager: EntityManager) => Promise<unknown>) => Promise<unknown>]>([
  ['of a repository', (work) => provider(DataSource).getRepository(Entry).manager.transaction(work)],
  ['of a query runner', inRunner],
  ["nested in the executor's", (work) => provider(WriteExecutor).run(({ manager }) => manager.transaction(work))],
])('a message in a transaction %s is sent on commit and discarded on rollback', async (_, transact) => {
  const sendIn = (manager: EntityManager, text: string) => provider(MessageSender).send(manager, operatorContext(account.id), { text });
  const before = await application().dump();
  const refused = transact(async (manager) => {
    await sendIn(manager, 'refused');
    throw new Error('Refused.');
  });
  await expect(refused).rejects.toThrow('Refused.');
  expect(await application().dump()).toEqual(before);
  await transact((manager) => sendIn(manager, 'accepted'));
  provider(DeliveryWorker).loop.wake(); // otherwise it polls within a second
  await finished(account, (await deliveriesOf(account))[0].id);
  expect(received()).toEqual([expect.objectContaining({ text: 'accepted' })]);
});

test('rolling back a savepoint discards only its message', async () => {
  const [messages, context] = [provider(MessageSender), operatorContext(account.id)];
  await provider(DataSource).transaction(async (manager) => {
    await messages.send(manager, context, { text: 'kept' });
    const nested = manager.transaction(async (inner) => {
      await messages.send(inner, context, { text: 'undone' });
      throw new Error('Undone.');
    });
    await expect(nested).rejects.toThrow('Undone.');
  });
  expect((await messagesOf(account)).map(({ text }) => text)).toEqual(['kept']);
  expect(await deliveriesOf(account)).toHaveLength(1);
});

test('send() throws outside a transaction or after its end', async () => {
  const [dataSource, executor] = [provider(DataSource), provider(WriteExecutor)];
  const managers = [
    dataSource.manager,
    dataSource.createQueryRunner().manager,
    await dataSource.transaction((manager) => Promise.resolve(manager)),
    await executor.run(({ manager }) => Promise.resolve(manager)),
    await executor.run((transaction) => Promise.resolve(transaction)),
  ];
  for (const manager of managers) {
    const sent = provider(MessageSender).send(manager, operatorContext(account.id), { text: 'x' });
    await expect(sent).rejects.toThrow('No open transaction');
  }
  expect(await messagesOf(account)).toEqual([]);
});

async function inRunner(work: (manager: EntityManager) => Promise<unknown>): Promise<void> {
  const runner = provider(DataSource).createQueryRunner();
  await runner.startTransaction();
  try {
    await work(runner.manager);
    await runner.commitTransaction();
  } finally {
    await runner.release(); // which rolls back what isn't committed
  }
}
