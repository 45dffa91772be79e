/** @mysql always */
import { createHmac } from 'node:crypto';
import { Body, Controller, Injectable, Logger, Module, Post } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { EntityManager, EntitySubscriberInterface } from 'typeorm';
import { WriteContextOf } from '../../../src/auth/caller';
import { Scope } from '../../../src/auth/route-policies';
import { operatorContext, type WriteContext } from '../../../src/platform/common/write-context';
import { Dialect, type SqlExecutor } from '../../../src/platform/database/dialect';
import { logAuditedEvent } from '../../../src/platform/database/events/event-log';
import { type Transaction, WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { asId } from '../../../src/platform/http/responses';
import { type TestAccount, TestApplication, useApplication } from '../../support/http/application';
import { idOf } from '../../support/http/client';
import { type Clock, stopClock } from '../../support/jest/clock';
import { onMysql } from '../../support/servers/database';
import { expectErrors } from '../../support/http/errors';
import { createTableOf, Entry, LedgerModule, NewEntry, writePair } from '../../support/extensions/ledger';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';
import { sized } from '../../support/jest/size';

/** Runs after a request's writes, before the commit. */
let beforeCommit: (manager: EntityManager) => Promise<unknown>;

@Injectable()
class Postings {
  constructor(private readonly executor: WriteExecutor) {}

  create(context: WriteContext, entry: NewEntry): Promise<number> {
    return this.executor.runOnce(context, async (transaction) => {
      const id = await writePair(transaction.manager, entry);
      await beforeCommit(transaction.manager);
      await logAuditedEvent(transaction, context, { action: 'create', record: 'posting', recordId: id });
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

/** What is thrown after a commit. */
let failure: unknown;

@Scope('domains:write')
@Controller('ledger')
class ExecutorController {
  constructor(private readonly executor: WriteExecutor) {}

  @Post('executor')
  inTransaction(@Body() entry: NewEntry) {
    return this.executor.run((transaction) => writePair(transaction.manager, entry));
  }

  @Post('callback')
  withCallback(@Body() entry: NewEntry) {
    return this.executor.run(async (transaction) => {
      this.executor.afterCommit(transaction, () => {
        throw failure;
      });
      await writePair(transaction.manager, entry);
    });
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Entry])], providers: [Postings], controllers: [PostingsController, ExecutorController] })
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

const { application, database } = useApplication({}, LedgerModule, PostingsModule);
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await createTableOf(application(), Entry);
});

const dialect = () => application().app.get(Dialect);
const countOf = async (text: string) => (await application().rows('ledger')).filter((row) => row.text === text).length;

describe('concurrent writes', () => {
  const WRITES = sized(96, 2_400);
  const CLIENTS = 8;
  const PATHS = ['/ledger/save', '/ledger/insert', '/ledger/transaction', '/ledger/query-runner'];
  const ROLLED_BACK = PATHS.slice(2);

  /** Alternates between an extension's routes and ours; every third transaction of the extension fails after its writes. */
  function write(index: number): { path: string; fields: Record<string, string>; text: string; rows: number } {
    const text = `write-${index}`;
    const path = [...PATHS, ...ROLLED_BACK, DOMAINS, HANDLERS][index % 8];
    if (path === DOMAINS) return { path, fields: { host: `${text}.${newHost()}` }, text, rows: 1 };
    if (path === HANDLERS) return { path, fields: { name: text, type: 'email' }, text, rows: 1 };
    const isTransaction = ROLLED_BACK.includes(path);
    const isRefused = isTransaction && index % 3 === 0;
    return { path, fields: { text, refused: isRefused ? '1' : '0' }, text, rows: isRefused ? 0 : isTransaction ? 2 : 1 };
  }

  test('a rollback undoes only its own writes among concurrent ones', async () => {
    const writes = Array.from({ length: WRITES }, (_, index) => write(index));
    const answers = new Map<string, number>();
    const left = writes.values();
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (const { path, fields, text } of left) answers.set(text, (await account.client.post(path, fields)).status);
      }),
    );
    const expected = writes.map(({ text, rows }) => ({ text, status: rows === 0 ? 404 : 201 }));
    const answered = writes.map(({ text }) => ({ text, status: answers.get(text) }));
    expect(answered.filter(({ status }, index) => status !== expected[index].status)).toEqual([]);

    const found = new Map<string, number>();
    const texts = await Promise.all(
      [
        ['ledger', 'text'],
        ['notification_handlers', 'name'],
        ['domains', 'host'],
      ].map(async ([table, column]) => (await application().rows(table)).map((row) => String(row[column]).split('.')[0])),
    );
    for (const text of texts.flat()) found.set(text, (found.get(text) ?? 0) + 1);
    expect(writes.filter(({ text, rows }) => (found.get(text) ?? 0) !== rows)).toEqual([]);
  });

  test('a query runner released in a transaction rolls back only its own writes', async () => {
    const writes = Array.from({ length: 40 }, (_, index) => ({ path: PATHS[index % 4], text: `beside-${index}` }));
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => account.client.post('/ledger/unfinished', { text: `unfinished-${index}`, refused: '0' })),
      ...writes.map(({ path, text }) => account.client.post(path, { text, refused: '0' }).expect(201)),
    ]);
    await account.client.post('/ledger/transaction', { text: 'after', refused: '0' }).expect(201);
    const texts = (await application().rows('ledger')).map(({ text }) => String(text));
    expect(texts.filter((text) => text.startsWith('unfinished-'))).toEqual([]);
    expect(new Set(texts.filter((text) => text.startsWith('beside-'))).size).toBe(writes.length);
  });
});

describe('WriteExecutor.runOnce', () => {
  const send = (text: string, { key = `key of ${text}`.replaceAll(' ', '-'), client = account.client, refused = '0' } = {}) =>
    client.post('/postings', { text, refused }).set('Idempotency-Key', key);
  const audited = async (id: number) => (await application().audited()).filter((row) => row.record === 'posting' && row.record_id === id);

  beforeEach(() => {
    beforeCommit = () => Promise.resolve();
  });

  test('one call writes the rows, the audit entry and the idempotency key', async () => {
    const answer = await send('rent').set('X-Request-Id', 'the-rent').expect(201);
    expect(await audited(idOf(answer))).toEqual([
      expect.objectContaining({ action: 'create', account_id: account.id, key_id: account.keyId, request_id: 'the-rent' }),
    ]);
    expect((await send('rent').expect(201)).body).toEqual(answer.body);
    expect([await countOf('rent'), await audited(idOf(answer))]).toEqual([2, [expect.anything()]]);
    expectErrors(await send('other', { key: 'key-of-rent' }), { code: 'idempotency_key_reused', source: 'header.Idempotency-Key' });
  });

  test('a transaction that the database rolled back is retried and committed once', async () => {
    let attempts = 0;
    const undone = Object.assign(new Error('undone'), { errno: 1213 });
    if (!onMysql) jest.spyOn(dialect(), 'errorKind').mockImplementation((error) => (error === undone ? 'rolled back' : undefined));
    beforeCommit = () => (++attempts < 3 ? Promise.reject(undone) : Promise.resolve());
    const answer = await send('deadlock').expect(201);
    expect([attempts, await countOf('deadlock'), (await audited(idOf(answer))).length]).toEqual([3, 2, 1]);
  });

  test('all writes of a call become visible at once', async () => {
    let seen = 0;
    beforeCommit = async () => (seen = await countOf('unseen'));
    await send('unseen').expect(201);
    expect([seen, await countOf('unseen')]).toEqual([0, 2]);
  });

  test('a repeated request is recognized after its controller and method were renamed', async () => {
    const first = await send('renamed').expect(201);
    const renamed = await TestApplication.start(database().env, BookingsModule);
    try {
      expect((await send('renamed', { client: renamed.client(account.key) }).expect(201)).body).toEqual(first.body);
      expect(await countOf('renamed')).toBe(2);
    } finally {
      await renamed.stop();
    }
  });
});

test('the stored fingerprint of a built-in route is stable', async () => {
  const [key, host] = ['as-it-always-was', newHost()];
  const id = await account.client.create(DOMAINS, { host });
  await account.client.post(`${DOMAINS}/0${id}`, { host }).set('Idempotency-Key', key).expect(200);
  const request = JSON.stringify(['DomainsController.update', [id], [['host', host]]]);
  const fingerprints = await application().dataSource.query<{ fingerprint: string }[]>('SELECT fingerprint FROM idempotency_keys');
  expect(fingerprints).toContainEqual({ fingerprint: createHmac('sha256', key).update(request).digest('hex') });
});

describe('events of a transaction', () => {
  const event = (record: string, recordId: number, data = {}) => ({ action: 'create', record, recordId, data });
  const stored = async (noun: string) => (await application().rows('events')).filter(({ record }) => record === noun);
  const write = (work: (transaction: Transaction, context: WriteContext) => Promise<void>) =>
    application()
      .app.get(WriteExecutor)
      .run((transaction) => work(transaction, operatorContext(account.id)));

  test('events logged in a savepoint are rolled back with it', async () => {
    await write(async (transaction, context) => {
      const undone = transaction.manager.transaction(async () => {
        await logAuditedEvent(transaction, context, event('undone', 1));
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await logAuditedEvent(transaction, context, event('undone', 2));
    });
    expect((await stored('undone')).map(({ record_id }) => record_id)).toEqual([2]);
  });

  test('events keep their order across a rolled-back savepoint', async () => {
    await write(async (transaction, context) => {
      for (const recordId of [1, 2]) await logAuditedEvent(transaction, context, event('order', recordId));
      await transaction.manager
        .transaction(async () => {
          await logAuditedEvent(transaction, context, event('order', 3));
          throw new Error('undone');
        })
        .catch(() => undefined);
      await logAuditedEvent(transaction, context, event('order', 4));
    });
    expect((await stored('order')).map(({ record_id }) => record_id)).toEqual([1, 2, 4]);
  });

  test('events are stored unchanged, with any characters and in any number', async () => {
    const texts = [`'); DELETE FROM events; -- `, "\\'; ROLLBACK; ? :name `", '\u0000\n\u001a"\\"', '😀'];
    await write(async (transaction, context) => {
      for (let recordId = 0; recordId < 40; recordId++) await logAuditedEvent(transaction, context, event('text', recordId, { texts }));
    });
    const rows = await stored('text');
    expect(rows.map(({ data }) => JSON.parse(data as string) as unknown)).toEqual(rows.map(() => ({ texts })));
    expect(rows.map(({ record_id }) => record_id)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });
});

describe('a write that fails', () => {
  const created = async (name: string) => (await application().rows('notification_handlers')).filter((row) => row.name === name).length;
  const create = (name: string) => account.client.post(HANDLERS, { name, type: 'email' });

  /** Runs `happen` after the last statement of the next writes, before they are committed. */
  function beforeCommits(times: number, happen: (statements: SqlExecutor) => Promise<void>): () => number {
    const transaction = dialect().statementTransaction.bind(dialect());
    let attempts = 0;
    jest.spyOn(dialect(), 'statementTransaction').mockImplementation((work) =>
      transaction((statements) =>
        work({
          clock: statements.clock,
          read: (sql, values) => statements.read(sql, values),
          write: (sql, values) => statements.write(sql, values),
          writeLast: async (sql, values) => {
            await statements.writeLast(sql, values);
            if (sql.startsWith('INSERT INTO events') && attempts++ < times) await happen(statements);
          },
        }),
      ),
    );
    return () => attempts;
  }

  if (onMysql) {
    const fail = (errno: number) => () => Promise.reject(Object.assign(new Error('refused'), { errno }));
    let clock: Clock;

    /** Only a write that failed fast is retried. */
    beforeEach(() => {
      clock = stopClock();
    });

    test('a write is attempted at most five times', async () => {
      const attempts = beforeCommits(100, fail(1213));
      expectErrors(await create('never'), { code: 'unavailable' });
      expect([attempts(), await created('never')]).toEqual([5, 0]);
    });

    test('a write that fails slowly is not retried', async () => {
      const attempts = beforeCommits(100, () => {
        clock.move(501);
        return fail(1213)();
      });
      expectErrors(await create('slow'), { code: 'unavailable' });
      expect([attempts(), await created('slow')]).toEqual([1, 0]);
    });

    test('a write whose connection is lost before the commit is retried on another one', async () => {
      const attempts = beforeCommits(1, async (statements) => {
        const [[id]] = await statements.read('SELECT CONNECTION_ID()', []);
        await application().dataSource.query(`KILL CONNECTION ${Number(id)}`);
        await statements.read('SELECT 1', []);
      });
      await create('lost').expect(201);
      expect([attempts(), await created('lost')]).toEqual([2, 1]);
    });

    test('a commit with an unknown outcome is not retried, and repeating the request writes once', async () => {
      const transaction = dialect().statementTransaction.bind(dialect());
      const lost = jest.spyOn(dialect(), 'statementTransaction').mockImplementation(async (work) => {
        await transaction(work);
        throw Object.assign(new Error('lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
      });
      expectErrors(await create('in doubt').set('Idempotency-Key', 'in-doubt'), { code: 'unavailable' });
      expect(await created('in doubt')).toBe(1);
      lost.mockRestore();
      await create('in doubt').set('Idempotency-Key', 'in-doubt').expect(201);
      expect(await created('in doubt')).toBe(1);
    });
  }

  test('an error before the commit leaves the database unchanged', async () => {
    const before = await application().dump();
    beforeCommits(1, () => Promise.reject(new Error('a fault')));
    expectErrors(await create('faulty').set('Idempotency-Key', 'faulty'), { code: 'internal_error' });
    expect(await application().dump()).toEqual(before);
    await create('faulty').set('Idempotency-Key', 'faulty').expect(201);
  });
});

const databaseError = (errno: number, code: string) => Object.assign(new Error(code), onMysql ? { errno } : { code });

const FAILURES: [what: string, error: unknown][] = [
  ['an exception', new Error('The cache is gone.')],
  ['a duplicate key', databaseError(1062, 'SQLITE_CONSTRAINT_UNIQUE')],
  ['a deadlock', databaseError(1213, 'SQLITE_BUSY')],
  ['a lost connection', Object.assign(new Error('lost'), { code: 'ECONNRESET' })],
];
const COMMITS = ['executor', 'callback', 'transaction', 'query-runner', 'save'];

describe.each(FAILURES)('%s thrown after a commit', (what, error) => {
  test.each(COMMITS)('the error is logged and changes neither response nor rows of POST /ledger/%s', async (path) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const text = `${path}: ${what}`;
    failure = error;
    const subscriber: EntitySubscriberInterface = { afterTransactionCommit: () => Promise.reject(error) };
    const { subscribers } = application().dataSource;
    if (path !== 'callback') subscribers.push(subscriber);
    try {
      await account.client.post(`/ledger/${path}`, { text, refused: '0' }).expect(201);
    } finally {
      if (path !== 'callback') subscribers.splice(subscribers.indexOf(subscriber), 1);
    }
    expect(await countOf(text)).toBe(path === 'save' ? 1 : 2);
    expect(logged).toHaveBeenCalled();
    // Every transaction that TypeORM has a part in meets the subscriber, those of background jobs, too.
    for (const call of logged.mock.calls) expect(call).toEqual([expect.objectContaining({ err: error })]);
  });
});
