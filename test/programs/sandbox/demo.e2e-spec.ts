/** @mysql whole */
import { createDemoAccount } from '../../../src/programs/demo/demo-account';
import { type TestApplication, withApplication } from '../../support/http/application';
import { createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(async () => {
  await database.drop();
});

/** The names of the accounts after a first start in this environment; a second start adds none. */
async function accountsOf(env: Record<string, string>, check = (_application: TestApplication) => Promise.resolve()): Promise<unknown[]> {
  let names: unknown[] = [];
  await withApplication({ ...database.env, ...env }, async (application) => {
    const key = await createDemoAccount(application.app);
    names = (await application.rows('accounts')).map(({ name }) => name);
    expect(key !== undefined).toBe(names.length > 0);
    expect(await createDemoAccount(application.app)).toBeUndefined();
    await check(application);
  });
  return names;
}

test('DEMO=off creates no demo account', async () => {
  expect(await accountsOf({ DEMO: 'off' })).toEqual([]);
});

test('in production only DEMO=on creates a demo account', async () => {
  expect(await accountsOf({ NODE_ENV: 'production' })).toEqual([]);
  expect(await accountsOf({ NODE_ENV: 'production', DEMO: 'on' })).toEqual(onMysql ? [] : ['demo']);
});

test('by default a demo account is created once on SQLite, and none on MySQL', async () => {
  const accounts = await accountsOf({}, async (application) => {
    expect((await application.rows('notification_handlers')).map(({ is_enabled }) => is_enabled)).toEqual(onMysql ? [] : [0, 0, 0]);
    const verifications = (await application.rows('domain_verifications')).map(({ status }) => status);
    expect(verifications).toEqual(onMysql ? [] : ['verified', 'pending', 'pending']);
    const deliveries = (await application.rows('deliveries')).map(({ status, outcome }) => [status, outcome]);
    expect(deliveries).toEqual(onMysql ? [] : [['failed', 'rejected']]);
    const searched = (await application.rows('messages')).map(({ content_folded }) => content_folded);
    expect(searched).toEqual(onMysql ? [] : ['fechamento do caixa\no caixa de hoje fechou com 18 atendimentos.']);
    const appointments = await application.dataSource.query<{ data_hora: string }[]>(
      'SELECT data_hora FROM agendamentos ORDER BY data_hora',
    );
    const days = appointments.map(({ data_hora }) => data_hora.slice(0, 10));
    const today = (await application.rows('accounts')).map(({ datetime }) => String(datetime).slice(0, 10));
    expect(days.slice(0, 2)).toEqual([...today, ...today]);
  });
  expect(accounts).toEqual(onMysql ? [] : ['demo']);
});
