import { join } from 'node:path';
import { Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppModule } from '../src/app.module';
import { type Outcome, runCommand, runProcess } from './support/command';
import { createDatabase, type TestDatabase } from './support/database';
import { longTest } from './support/size';

let database: TestDatabase;
let hooks: string[];
let fails: string | undefined;

beforeEach(async () => {
  database = await createDatabase();
  [hooks, fails] = [[], undefined];
  const start = AppModule.with.bind(AppModule);
  jest.spyOn(AppModule, 'with').mockImplementation((config) => start(config, [Extension]));
});

afterEach(() => database.drop());

/** Reads a table in each of its hooks, as a cache would. */
@Module({})
class Extension implements OnModuleInit, OnApplicationBootstrap {
  constructor(private readonly dataSource: DataSource) {}

  onModuleInit = () => this.read('onModuleInit');
  onApplicationBootstrap = () => this.read('onApplicationBootstrap');

  onModuleDestroy(): void {
    if (fails) throw new Error('Nothing to destroy.');
    hooks.push('onModuleDestroy');
  }

  private async read(hook: string): Promise<void> {
    if (fails === hook) throw new Error(`${hook} failed:\nno cache`);
    await this.dataSource.query('SELECT COUNT(*) FROM accounts');
    hooks.push(hook);
  }
}

const run = (...argv: string[]): Promise<Outcome> => runCommand(database.env, argv);

test('migrate runs the migrations, and no hook of an extension', async () => {
  expect(await run('migrate')).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/^Applied: InitialSchema/) as string });
  expect(hooks).toEqual([]);
});

test('any other command migrates first, and then runs the hooks', async () => {
  expect(await run('accounts', 'create', 'acme')).toMatchObject({ code: 0, stderr: '' });
  expect(hooks).toEqual(['onModuleInit', 'onApplicationBootstrap', 'onModuleDestroy']);
});

test.each(['onModuleInit', 'onApplicationBootstrap'])('a failing %s is the one line, and closes the database', async (hook) => {
  fails = hook;
  const closed = jest.spyOn(DataSource.prototype, 'destroy');
  expect(await run('accounts', 'list')).toEqual({ code: 1, stdout: '', stderr: `frontdesk: ${hook} failed: no cache\n` });
  expect(closed).toHaveBeenCalledTimes(1);
});

longTest.each([
  ['ends', {}, { code: 0, stdout: 'Account 1, acme.\n', stderr: '' }],
  ['ends with 1 and the reason', { FAILS: '1' }, { code: 1, stdout: '', stderr: 'frontdesk: The extension failed.\n' }],
])('a command of an extension that leaves a timer %s', async (_, env, outcome) => {
  const preloaded = { NODE_OPTIONS: `--require ${join(__dirname, 'support', 'left-timer.cjs')}` };
  expect(await runProcess({ ...database.env, ...preloaded, ...env }, 'accounts', 'create', 'acme')).toMatchObject(outcome);
});
