/** @mysql whole */
import { join } from 'node:path';
import { Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AppModule } from '../../../src/app.module';
import { AccountsService } from '../../../src/auth/accounts/accounts.service';
import { operatorContext } from '../../../src/platform/common/write-context';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { MessageSender } from '../../../src/messages/message-sender';
import { Extensions } from '../../../src/platform/extensions/extensions';
import { Job } from '../../../src/platform/jobs/job.decorator';
import { withApplication } from '../../support/http/application';
import { type Outcome, runCommand, runProcess } from '../../support/areas/command';
import { createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { longTest } from '../../support/jest/size';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const folder = useTemporaryFolder();
let database: TestDatabase;
let hooks: string[];
let providers: ModuleRef;

beforeEach(async () => {
  database = await createDatabase();
  hooks = [];
});

afterEach(async () => {
  jest.restoreAllMocks();
  await database.drop();
});

/** Reads a table in each hook, as a cache would. */
@Module({})
class Extension implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    modules: ModuleRef,
  ) {
    providers = modules;
  }

  onModuleInit = () => this.read('onModuleInit');
  onApplicationBootstrap = () => this.read('onApplicationBootstrap');
  onModuleDestroy = () => this.read('onModuleDestroy');
  beforeApplicationShutdown = () => this.read('beforeApplicationShutdown');
  onApplicationShutdown = () => void hooks.push('onApplicationShutdown');

  @Job({ name: 'extension', everyMs: 86_400_000, atStart: true })
  work(): Promise<void> {
    return this.read('job');
  }

  private async read(hook: string): Promise<void> {
    await this.dataSource.query('SELECT COUNT(*) FROM accounts');
    hooks.push(hook);
  }
}

const provider = <T>(type: new (...args: never[]) => T) => providers.get(type, { strict: false });

const start = AppModule.forRoot.bind(AppModule);

/** Runs a command with the extension. EXTENSIONS names one, so that every command starts the whole application. */
function run(...argv: string[]): Promise<Outcome> {
  const named = folder.file('named.cjs', "module.exports = { name: 'named' };");
  jest
    .spyOn(AppModule, 'forRoot')
    .mockImplementation((config, { list }) => start(config, new Extensions([...list, { name: 'hooks', modules: [Extension] }])));
  return runCommand({ ...database.env, EXTENSIONS: named }, argv);
}

/** Runs `accounts list` with this in place of its query. */
const runWith = (work: () => Promise<void>) => {
  jest.spyOn(AccountsService.prototype, 'findAll').mockImplementation(() => work().then(() => []));
  return run('accounts', 'list');
};

test('the service runs an extension’s hooks after the migrations, and its jobs', async () => {
  await withApplication(database.env, () => Promise.resolve(), Extension);
  expect(hooks).toEqual([
    'onModuleInit',
    'onApplicationBootstrap',
    'job',
    'onModuleDestroy',
    'beforeApplicationShutdown',
    'onApplicationShutdown',
  ]);
});

test('migrate runs the migrations without an extension’s hooks', async () => {
  expect(await run('migrate')).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/^Applied: InitialSchema/) as string });
  expect(hooks).toEqual([]);
});

(onMysql ? test.skip : test)('a command that creates the database prints its file', async () => {
  const list = () => runCommand({}, ['accounts', 'list'], { folder: folder.path() });
  const stderr = `There was no database: created ${folder.path('data/frontdesk.sqlite')}\n`;
  expect(await list()).toEqual({ code: 0, stdout: '', stderr });
  expect(await list()).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('any other command migrates first, without hooks and jobs', async () => {
  expect(await run('accounts', 'create', 'acme')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('audit', 'prune', '--before', '2026-01-01')).toMatchObject({ code: 0 });
  expect(hooks).toEqual([]);
  let scheduled: unknown;
  await runWith(async () => void (scheduled = await provider(DataSource).query('SELECT * FROM scheduled_jobs')));
  expect(scheduled).toEqual([]);
});

test('a command may send a message, whose deliveries are left to the service', async () => {
  await run('accounts', 'create', 'acme');
  const rows = (sql: string) => provider(DataSource).query<Record<string, unknown>[]>(sql);
  const outcome = await runWith(async () => {
    const columns = 'account_id, name, type, settings, is_enabled, datetime';
    await rows(`INSERT INTO notification_handlers (${columns}) VALUES (1, 'Mail', 'email', '', 1, '2026-11-21 12:00:00')`);
    const send = () =>
      provider(WriteExecutor).run((transaction) =>
        provider(MessageSender).send(transaction, operatorContext(1), { text: 'Closed today.' }),
      );
    expect([await send(), await send()]).toMatchObject([{ deliveries: 1 }, { deliveries: 1 }]);
    const [{ part }] = await rows('SELECT part FROM installations');
    expect(await rows('SELECT part, status, attempts FROM deliveries')).toEqual(Array(2).fill({ part, status: 'pending', attempts: 0 }));
  });
  expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
});

test.each([
  ['an Error', new Error('no\npaper'), 'no paper'],
  ['an Error without a message', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  ['a string', 'paper', 'paper'],
  ['undefined', undefined, 'undefined'],
])('a command that throws %s closes the database and prints one line, even if closing fails', async (_, thrown, reason) => {
  const failed = { code: 1, stdout: '', stderr: `frontdesk: ${reason}\n` };
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- as any library might
  const fail = () => Promise.resolve().then(() => { throw thrown }); // prettier-ignore
  expect(await runWith(fail)).toEqual(failed);
  expect(provider(DataSource).isInitialized).toBe(false);
  failToClose();
  expect(await runWith(fail)).toEqual(failed);
  expect(provider(DataSource).isInitialized).toBe(false);
});

test('a command that cannot close the database prints one line', async () => {
  failToClose();
  expect(await run('accounts', 'list')).toEqual({ code: 1, stdout: '', stderr: 'frontdesk: The server hung up.\n' });
});

/** Closes it all the same, so that the test leaves nothing open. */
function failToClose(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the data source
  const { destroy } = DataSource.prototype;
  jest.spyOn(DataSource.prototype, 'destroy').mockImplementationOnce(async function (this: DataSource) {
    await destroy.call(this);
    throw new Error('The server hung up.');
  });
}

longTest.each([
  ['exits with 0', {}, { code: 0, stdout: 'Account 1, acme.\n', stderr: '' }],
  ['exits with 1 and the reason', { FAILS: '1' }, { code: 1, stdout: '', stderr: 'frontdesk: The extension failed.\n' }],
])('a command of an extension that leaves a timer %s', async (_, env, outcome) => {
  const extension = { EXTENSIONS: join(__dirname, '../../support/extensions/left-timer.cjs') };
  expect(await runProcess({ ...database.env, ...extension, ...env }, 'accounts', 'create', 'acme')).toMatchObject(outcome);
});
