// Runs on SQLite; in the whole run, on MySQL too.
import { Dialect, type SqlExecutor } from '../../../src/platform/database/dialect';
import { type TestAccount, useApplication } from '../../support/application';
import { type Clock, stopClock } from '../../support/clock';
import { onMysql } from '../../support/database';
import { expectErrors } from '../../support/errors';
import { HANDLERS } from '../../support/records';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

afterEach(() => {
  jest.restoreAllMocks();
});

const dialect = () => application().app.get(Dialect);
const countOf = async (name: string) => (await application().rows('notification_handlers')).filter((row) => row.name === name).length;
const create = (name: string) => account.client.post(HANDLERS, { name, type: 'email' });

/** Runs `happen` after the last statement of the next writes, before each commit. */
function beforeCommits(times: number, happen: (statements: SqlExecutor) => Promise<void>): () => number {
  const transaction = dialect().statementTransaction.bind(dialect());
  let attempts = 0;
  jest.spyOn(dialect(), 'statementTransaction').mockImplementation((work) =>
    transaction((statements) =>
      work({
        clock: statements.clock,
        read: (sql, values) => statements.read(sql, values),
        write: async (sql, values) => {
          const written = await statements.write(sql, values);
          if (sql.startsWith('INSERT INTO audit') && attempts++ < times) await happen(statements);
          return written;
        },
      }),
    ),
  );
  return () => attempts;
}

if (onMysql) {
  const fail = (errno: number) => () => Promise.reject(Object.assign(new Error('refused'), { errno }));
  let clock: Clock;

  /** Only what has failed fast is retried. */
  beforeEach(() => {
    clock = stopClock();
  });

  test('a transaction that the database rolled back is retried, and written once', async () => {
    const attempts = beforeCommits(3, fail(1213));
    const entries = async () => (await application().audited()).filter(({ record }) => record === 'notification handler').length;
    const before = await entries();
    await create('undone').expect(201);
    expect([attempts(), await countOf('undone')]).toEqual([4, 1]);
    expect(await entries()).toBe(before + 1);
  });

  test('retries are limited', async () => {
    const attempts = beforeCommits(100, fail(1213));
    expectErrors(await create('never'), { code: 'unavailable' });
    expect([attempts(), await countOf('never')]).toEqual([5, 0]);
  });

  test('a slow failure is not retried', async () => {
    const attempts = beforeCommits(100, () => {
      clock.move(501);
      return fail(1213)();
    });
    expectErrors(await create('slow'), { code: 'unavailable' });
    expect([attempts(), await countOf('slow')]).toEqual([1, 0]);
  });

  test('a connection lost before the commit is replaced, and the write retried', async () => {
    const attempts = beforeCommits(1, async (statements) => {
      const [[id]] = await statements.read('SELECT CONNECTION_ID()', []);
      await application().dataSource.query(`KILL CONNECTION ${Number(id)}`);
      await statements.read('SELECT 1', []);
    });
    await create('lost').expect(201);
    expect([attempts(), await countOf('lost')]).toEqual([2, 1]);
  });

  test('a commit whose outcome is unknown is not retried', async () => {
    const transaction = dialect().statementTransaction.bind(dialect());
    jest.spyOn(dialect(), 'statementTransaction').mockImplementation(async (work) => {
      await transaction(work);
      throw Object.assign(new Error('lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
    });
    expectErrors(await create('in doubt'), { code: 'unavailable' });
    expect(await countOf('in doubt')).toBe(1);
  });

  test('after such a commit, sending the request again with its key writes once', async () => {
    const transaction = dialect().statementTransaction.bind(dialect());
    const lost = jest.spyOn(dialect(), 'statementTransaction').mockImplementation(async (work) => {
      await transaction(work);
      throw Object.assign(new Error('lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
    });
    expectErrors(await create('settled').set('Idempotency-Key', 'settled'), { code: 'unavailable' });
    lost.mockRestore();
    await create('settled').set('Idempotency-Key', 'settled').expect(201);
    expect(await countOf('settled')).toBe(1);
  });
}

test('an error before the commit leaves nothing behind', async () => {
  const before = await application().dump();
  beforeCommits(1, () => Promise.reject(new Error('a fault')));
  expectErrors(await create('faulty').set('Idempotency-Key', 'faulty'), { code: 'internal_error' });
  expect(await application().dump()).toEqual(before);
  await create('faulty').set('Idempotency-Key', 'faulty').expect(201);
});
