// Runs on SQLite and MySQL.
import { Body, Controller, Logger, Module, Post } from '@nestjs/common';
import { DataSource, type EntitySubscriberInterface } from 'typeorm';
import { Scope } from '../../../src/auth/route-policies';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { type TestAccount, useApplication } from '../../support/application';
import { onMysql } from '../../support/database';
import { createTableOf, Entry, LedgerModule, NewEntry, writePair } from '../../support/ledger';

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

@Module({ controllers: [ExecutorController] })
class ExecutorModule {}

const { application } = useApplication({}, LedgerModule, ExecutorModule);
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await createTableOf(application(), Entry);
});

const databaseError = (errno: number, code: string) => Object.assign(new Error(code), onMysql ? { errno } : { code });

const FAILURES: [what: string, error: unknown][] = [
  ['an error', new Error('The cache is gone.')],
  ['a duplicate key', databaseError(1062, 'SQLITE_CONSTRAINT_UNIQUE')],
  ['a deadlock', databaseError(1213, 'SQLITE_BUSY')],
  ['a lost connection', Object.assign(new Error('lost'), { code: 'ECONNRESET' })],
];
const PATHS = ['executor', 'callback', 'transaction', 'query-runner', 'save'];

describe.each(FAILURES)('%s after a commit', (what, error) => {
  test.each(PATHS)('of %s is logged, and changes neither the response nor the rows', async (path) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const text = `${path}: ${what}`;
    failure = error;
    const subscriber: EntitySubscriberInterface = { afterTransactionCommit: () => Promise.reject(error) };
    const { subscribers } = application().app.get(DataSource);
    if (path !== 'callback') subscribers.push(subscriber);
    try {
      await account.client.post(`/ledger/${path}`, { text, refused: '0' }).expect(201);
    } finally {
      if (path !== 'callback') subscribers.splice(subscribers.indexOf(subscriber), 1);
    }
    const rows = (await application().rows('ledger')).filter((row) => row.text === text);
    expect(rows).toHaveLength(path === 'save' ? 1 : 2);
    expect(logged).toHaveBeenCalled();
    // Every transaction that TypeORM has a part in meets the subscriber, those of background jobs, too.
    for (const call of logged.mock.calls) expect(call).toEqual([expect.objectContaining({ err: error })]);
  });
});
