// Runs on SQLite; in the whole run, on MySQL too.
import { DemoService } from '../../../src/programs/demo/demo.service';
import { type TestApplication, withApplication } from '../../support/application';
import { createDatabase, onMysql, type TestDatabase } from '../../support/database';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(async () => {
  await database.drop();
});

const accounts = (application: TestApplication) => application.rows('accounts').then((rows) => rows.map(({ name }) => name));

test('DEMO=off creates no demo account', async () => {
  await withApplication({ ...database.env, DEMO: 'off' }, async (application) => {
    expect(await application.app.get(DemoService).createOnFirstStart()).toBeUndefined();
    expect(await accounts(application)).toEqual([]);
  });
});

test('in production there is no demo account unless it is asked for', async () => {
  await withApplication({ ...database.env, NODE_ENV: 'production' }, async (application) => {
    expect(await application.app.get(DemoService).createOnFirstStart()).toBeUndefined();
    expect(await accounts(application)).toEqual([]);
  });
  await withApplication({ ...database.env, NODE_ENV: 'production', DEMO: 'on' }, async (application) => {
    await application.app.get(DemoService).createOnFirstStart();
    expect(await accounts(application)).toEqual(onMysql ? [] : ['demo']);
  });
});

test('by default the embedded database gets a demo account, and MySQL none', async () => {
  await withApplication(database.env, async (application) => {
    await application.app.get(DemoService).createOnFirstStart();
    expect(await accounts(application)).toEqual(onMysql ? [] : ['demo']);
    expect((await application.rows('notification_handlers')).map(({ is_enabled }) => is_enabled)).toEqual(onMysql ? [] : [0, 0, 0]);
    const verifications = (await application.rows('domain_verifications')).map(({ status }) => status);
    expect(verifications).toEqual(onMysql ? [] : ['verified', 'pending', 'pending']);
    const deliveries = (await application.rows('deliveries')).map(({ status, outcome }) => [status, outcome]);
    expect(deliveries).toEqual(onMysql ? [] : [['failed', 'rejected']]);
    const appointments = await application.dataSource.query<{ data_hora: string }[]>(
      'SELECT data_hora FROM agendamentos ORDER BY data_hora',
    );
    const days = appointments.map(({ data_hora }) => data_hora.slice(0, 10));
    const today = (await application.rows('accounts')).map(({ datetime }) => String(datetime).slice(0, 10));
    expect(days.slice(0, 2)).toEqual([...today, ...today]);
  });
});
