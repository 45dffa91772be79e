// Runs on SQLite and MySQL.
import { createHmac } from 'node:crypto';
import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { EntityManager } from 'typeorm';
import { WriteContextOf } from '../../../src/auth/caller';
import { Scope } from '../../../src/auth/route-policies';
import type { WriteContext } from '../../../src/platform/common/write-context';
import { audit } from '../../../src/platform/database/events/audit';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { Dialect } from '../../../src/platform/database/dialect';
import { asId } from '../../../src/platform/http/responses';
import { type TestAccount, TestApplication, useApplication } from '../../support/application';
import { idOf } from '../../support/client';
import { onMysql } from '../../support/database';
import { expectErrors } from '../../support/errors';
import { createTableOf, Entry, NewEntry, writePair } from '../../support/ledger';
import { DOMAINS, newHost } from '../../support/records';

/** Runs after a request's writes, before the commit. */
let beforeCommit: (manager: EntityManager) => Promise<unknown>;

@Injectable()
class Postings {
  constructor(private readonly executor: WriteExecutor) {}

  create(context: WriteContext, entry: NewEntry): Promise<number> {
    return this.executor.runOnce(context, async (transaction) => {
      const id = await writePair(transaction.manager, entry);
      await beforeCommit(transaction.manager);
      await audit(transaction, context, { action: 'create', record: 'posting', recordId: id });
      return id;
    });
  }
}

@Scope('domains:write')
@Controller('postings')
class PostingsController {
  constructor(private readonly postings: Postings) {}

  @Post()
  create(@WriteContextOf('postings.create') context: WriteContext, @Body() entry: NewEntry) {
    return asId(this.postings.create(context, entry));
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Entry])], providers: [Postings], controllers: [PostingsController] })
class PostingsModule {}

/** A later release of PostingsController: the class and the method are renamed, the operation is not. */
@Scope('domains:write')
@Controller('postings')
class BookingsController {
  constructor(private readonly postings: Postings) {}

  @Post()
  book(@WriteContextOf('postings.create') context: WriteContext, @Body() entry: NewEntry) {
    return asId(this.postings.create(context, entry));
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Entry])], providers: [Postings], controllers: [BookingsController] })
class BookingsModule {}

const { application, database } = useApplication({}, PostingsModule);
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await createTableOf(application(), Entry);
});

beforeEach(() => {
  beforeCommit = () => Promise.resolve();
});

const send = (text: string, { key = `key of ${text}`.replaceAll(' ', '-'), client = account.client, refused = '0' } = {}) =>
  client.post('/postings', { text, refused }).set('Idempotency-Key', key);
const countOf = async (text: string) => (await application().rows('ledger')).filter((row) => row.text === text).length;
const audited = async (id: number) => (await application().audited()).filter((row) => row.record === 'posting' && row.record_id === id);

test('one call writes the rows, the audit entry and the idempotency key', async () => {
  const answer = await send('rent').set('X-Request-Id', 'the-rent').expect(201);
  expect(await audited(idOf(answer))).toEqual([
    expect.objectContaining({ action: 'create', account_id: account.id, key_id: account.keyId, request_id: 'the-rent' }),
  ]);
  expect((await send('rent').expect(201)).body).toEqual(answer.body);
  expect([await countOf('rent'), await audited(idOf(answer))]).toEqual([2, [expect.anything()]]);
  expectErrors(await send('other', { key: 'key-of-rent' }), { code: 'idempotency_key_reused', source: 'header.Idempotency-Key' });
});

test('a failure writes none of them', async () => {
  const before = await application().dump();
  expectErrors(await send('refused', { refused: '1' }), { code: 'not_found' });
  expect(await application().dump()).toEqual(before);
});

test('one of many concurrent requests with one key is executed', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => send('at once')));
  expect(await countOf('at once')).toBe(2);
  expect(new Set(answers.filter(({ status }) => status === 201).map(idOf)).size).toBe(1);
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
});

test('a transaction that the database rolled back is retried and committed once', async () => {
  let attempts = 0;
  const undone = Object.assign(new Error('undone'), { errno: 1213 });
  if (!onMysql)
    jest.spyOn(application().app.get(Dialect), 'errorKind').mockImplementation((error) => (error === undone ? 'rolled back' : undefined));
  beforeCommit = () => (++attempts < 3 ? Promise.reject(undone) : Promise.resolve());
  const answer = await send('deadlock').expect(201);
  expect([attempts, await countOf('deadlock'), (await audited(idOf(answer))).length]).toEqual([3, 2, 1]);
});

test('its writes become visible together', async () => {
  let seen = 0;
  beforeCommit = async () => (seen = await countOf('unseen'));
  await send('unseen').expect(201);
  expect([seen, await countOf('unseen')]).toEqual([0, 2]);
});

test('a request is recognised after its controller and method were renamed', async () => {
  const first = await send('renamed').expect(201);
  const renamed = await TestApplication.start(database().env, BookingsModule);
  try {
    expect((await send('renamed', { client: renamed.client(account.key) }).expect(201)).body).toEqual(first.body);
    expect(await countOf('renamed')).toBe(2);
  } finally {
    await renamed.stop();
  }
});

test('the stored fingerprint of a built-in route is stable', async () => {
  const [key, host] = ['as-it-always-was', newHost()];
  const id = await account.client.create(DOMAINS, { host });
  await account.client.post(`${DOMAINS}/0${id}`, { host }).set('Idempotency-Key', key).expect(200);
  const request = JSON.stringify(['DomainsController.update', [id], [['host', host]]]);
  const fingerprints = await application().dataSource.query<{ fingerprint: string }[]>('SELECT fingerprint FROM idempotency_keys');
  expect(fingerprints).toContainEqual({ fingerprint: createHmac('sha256', key).update(request).digest('hex') });
});
