/** @mysql whole */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AccountDeletion } from '../../src/auth/accounts/account-deletion';
import { Account } from '../../src/auth/accounts/account.entity';
import { AccountsService } from '../../src/auth/accounts/accounts.service';
import { ApiKeysService, generateKey } from '../../src/auth/accounts/api-keys.service';
import { WriteExecutor } from '../../src/platform/database/writes/transactions';
import { Replayer } from '../../src/events/replays/replayer';
import { Extensions } from '../../src/platform/extensions/extensions';
import { type TestAccount, useApplication, withApplication } from '../support/http/application';
import { finished, sendMessage } from '../support/areas/deliveries';
import { expectErrors, withoutRequestId } from '../support/http/errors';
import { DOMAINS, HANDLERS, insertNotification, newHost } from '../support/areas/records';
import { insertScheduling } from '../support/areas/scheduling-records';

const { application, database } = useApplication();
const accounts = () => application().app.get(AccountsService);

/** A key that no application has cached yet. */
const fresh = async (account: TestAccount) => (await application().createKey(account.id)).client;
const find = (id: number) => application().dataSource.manager.findOneByOrFail(Account, { id });
const remove = async (id: number, withRecords = false) =>
  application()
    .app.get(AccountDeletion)
    .run(await find(id), withRecords);

/** Disables an account as of long ago, so that its deletion doesn't wait for caches to expire. */
async function disableLongAgo(id: number): Promise<void> {
  await accounts().setEnabled(id, false);
  await application().dataSource.query("UPDATE accounts SET disabled_datetime = '2026-01-01 00:00:00' WHERE id = ?", [id]);
}

/** The tables with rows of accounts, except the audit. */
function tablesOfAccounts(): string[] {
  const tables = application().dataSource.entityMetadatas.filter((table) => table.findColumnWithDatabaseName('account_id'));
  return tables.map(({ tableName }) => tableName).filter((name) => name !== 'events');
}

/** Those that have rows of an account. */
async function traces(id: number): Promise<string[]> {
  const found: string[] = [];
  for (const table of tablesOfAccounts()) {
    const rows: unknown[] = await application().dataSource.query(`SELECT 1 FROM ${table} WHERE account_id = ?`, [id]);
    if (rows.length > 0) found.push(table);
  }
  return found.sort();
}

/** Otherwise the replay that fill() inserts would end at once. */
beforeEach(() => void jest.spyOn(application().app.get(Replayer), 'advance').mockResolvedValue(Infinity));

/** Makes a row of each table; of an area that a team has added, from the forms of its `tests`. */
async function fill(account: TestAccount, agendamentos = 3): Promise<void> {
  const { body: domain } = await account.client.post(DOMAINS, { host: newHost() }).set('Idempotency-Key', 'a-key').expect(201);
  await account.client.get(`${DOMAINS}/${domain.data.id}/verification`).expect(200);
  const gone = await account.client.create(HANDLERS, { name: 'Gone', type: 'email' });
  await account.client.delete(`${HANDLERS}/${gone}`).expect(200);
  const webhook = await account.client.create(HANDLERS, { name: 'Desk', type: 'webhook' });
  await account.client.get(`${HANDLERS}/${webhook}/signing-secret`).expect(200);
  await account.client.post(`${HANDLERS}/${webhook}/events`, { types: 'domain.*' }).expect(200);
  const columns = [
    'number',
    'event_id',
    'end_number',
    'end_event_id',
    'min_datetime',
    'max_datetime',
    'from_datetime',
    'until_datetime',
    'sent',
    'share',
    'share_ends',
  ];
  const insert = `INSERT INTO handler_replays (handler_id, account_id, ${columns.join(', ')}) VALUES (?, ?${', 0'.repeat(columns.length)})`;
  await application().dataSource.query(insert, [webhook, account.id]);
  const email = await account.client.create(HANDLERS, { name: 'Desk', type: 'email' });
  for (const delivery of await sendMessage(account, [email], { dedup_key: 'filled' })) await finished(account, delivery);
  await account.client.post(`${HANDLERS}/${email}/test`).expect(200);
  await insertNotification(application(), account.id);
  const areas = application().app.get(Extensions).list;
  for (const [path, form] of areas.flatMap(({ tests }) => Object.entries(tests?.forms ?? {}))) await account.client.create(path, form());
  const id = account.id * 10_000;
  const [servicos_id, atendentes_id] = [id, id];
  await insertScheduling(application(), account.id, {
    servicos: [{ servicos_id, servico_nome: 'Corte' }],
    atendentes: [{ atendentes_id, atendente_nome: 'Ana', atendente_cargo: 'Barbeira', atendente_diponivel: true }],
    atendenteservico: [{ atendenteservico_id: id, atendentes_id, servicos_id }],
    horarios: [{ horarios_id: id, horario_id: '09:00', horario_disponivel: true }],
    agendamentos: Array.from({ length: agendamentos }, (_, at) => ({
      agendamento_id: id + at,
      nome: 'João',
      telefone: '1',
      data_hora: '2026-12-01 09:30:00',
      servicos_id,
      atendentes_id,
    })),
  });
}

const actionsOn = async (id: number) =>
  (await application().audited())
    .filter(({ account_id, record }) => account_id === id && record === 'account')
    .map(({ action, key_id, record_id }) => [action, key_id, record_id]);

test('the keys of a disabled account are rejected as revoked ones are, until it is enabled', async () => {
  const account = await application().createAccount();
  await accounts().setEnabled(account.id, false);
  await accounts().setEnabled(account.id, false);
  const unknown = await application().client(generateKey()).get(DOMAINS);
  const client = await fresh(account);
  for (const answer of [await account.client.get(DOMAINS), await client.get(DOMAINS), await client.post(DOMAINS, { host: newHost() })]) {
    expectErrors(answer, { code: 'unauthenticated', source: 'header.Authorization' });
    expect(answer.headers['www-authenticate']).toBe(unknown.headers['www-authenticate']);
    expect(withoutRequestId(answer)).toBe(withoutRequestId(unknown));
  }
  await accounts().setEnabled(account.id, true);
  await client.get(DOMAINS).expect(200);
  const trail = [['create', null, account.id], ...['disable', 'enable'].map((action) => [action, null, account.id])];
  expect(await actionsOn(account.id)).toEqual(trail);
});

test('a process with a cached key checks its account again when the cache expires', async () => {
  const account = await application().createAccount();
  await withApplication(database().env, async (other) => {
    const client = other.client(account.key);
    await client.get(DOMAINS).expect(200);
    await accounts().setEnabled(account.id, false);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
    try {
      expect(other.app.get(ApiKeysService).getCached(account.key)).toBeUndefined();
      await client.get(DOMAINS).expect(401);
    } finally {
      clock.mockRestore();
    }
  });
});

test('an account without records is deleted with its keys; its audit entries remain', async () => {
  const account = await application().createAccount();
  await disableLongAgo(account.id);
  expect(await remove(account.id)).toEqual({});
  expect(await traces(account.id)).toEqual([]);
  await account.client.get(DOMAINS).expect(401);
  expect(await accounts().findAll()).not.toContainEqual(expect.objectContaining({ id: account.id }));
  expect((await actionsOn(account.id)).map(([action]) => action)).toEqual(['create', 'disable', 'delete']);
});

test('an account with records is deleted on request, and others lose nothing', async () => {
  const [account, other] = [await application().createAccount(), await application().createAccount()];
  await fill(account);
  await fill(other);
  const held = await traces(account.id);
  expect({ tablesThatFillLeavesEmpty: tablesOfAccounts().filter((name) => !held.includes(name)) }).toEqual({
    tablesThatFillLeavesEmpty: [],
  });
  await expect(remove(account.id)).rejects.toThrow(/^The account ".*" has records: .*domains \(1\).*agendamentos \(3\).*--with-records$/);
  await (await fresh(account)).get(DOMAINS).expect(200);
  expect(await traces(account.id)).toEqual(held);

  await disableLongAgo(account.id);
  expect(await remove(account.id, true)).toMatchObject({
    domains: 1,
    notification_handlers: 2,
    messages: 1,
    deliveries: 1,
    delivery_attempts: 1,
    notifications: 1,
    agendamentos: 3,
    servicos: 1,
  });
  expect(await traces(account.id)).toEqual([]);
  expect(await traces(other.id)).toEqual(held);
  await other.client.get(DOMAINS).expect(200);
});

test('an account with rows in the table of an unloaded extension is not deleted', async () => {
  const account = await application().createAccount();
  await fill(account);
  const before = await traces(account.id);
  const { dataSource } = application();
  await dataSource.query(
    'CREATE TABLE left_orders (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, FOREIGN KEY (owner) REFERENCES accounts (id))',
  );
  try {
    await dataSource.query('INSERT INTO left_orders (id, owner) VALUES (1, ?)', [account.id]);
    await expect(remove(account.id, true)).rejects.toThrow(/isn't loaded: left_orders\. .+ Nothing was deleted\./);
    expect([await traces(account.id), (await find(account.id)).disabled_datetime]).toEqual([before, null]);
    await dataSource.query('DELETE FROM left_orders');
    await remove(account.id, true);
    expect(await traces(account.id)).toEqual([]);
  } finally {
    await dataSource.query('DROP TABLE left_orders');
  }
});

test('records are deleted in batches; after a failure, the next deletion continues', async () => {
  const account = await application().createAccount();
  await fill(account, 2_500);
  await disableLongAgo(account.id);
  const changes = application().app.get(WriteExecutor);
  const attempt = changes.run.bind(changes);
  const left = () => application().dataSource.manager.countBy('agendamentos', { account_id: account.id });
  const broken = jest.spyOn(changes, 'run').mockImplementation(async (...given) => {
    if ((await left()) < 2_500) throw new Error('lost'); // the second batch
    return attempt(...given);
  });
  await expect(remove(account.id, true)).rejects.toThrow('lost');
  broken.mockRestore();
  const agendamentos = await left();
  expect(agendamentos).toBeGreaterThanOrEqual(1_500);
  expect(await remove(account.id, true)).toMatchObject({ agendamentos });
  expect(await traces(account.id)).toEqual([]);
});

test('an account that gets a record during its deletion is kept', async () => {
  const account = await application().createAccount();
  const deletion = remove(account.id); // waits until cached keys expire
  while ((await find(account.id)).disabled_datetime === null) await nextTurn(); // the embedded database resolves without one
  await insertNotification(application(), account.id);
  await expect(deletion).rejects.toThrow(/has records: .*campaigns \(1\)/);
  await (await fresh(account)).get(DOMAINS).expect(200);
});

test('an account with more referencing rows than fit into a batch is deleted', async () => {
  const account = await application().createAccount();
  const { dataSource } = application();
  const time = '2026-11-22 08:00:00';
  const insert = (table: string, columns: string, rows: number, row: (at: number) => string) =>
    dataSource.query(
      `INSERT INTO ${table} (${columns}) VALUES ${Array.from({ length: rows }, (_, at) => `(${account.id}, ${row(at)})`).join(', ')}`,
    );
  const first = account.id * 100_000;
  await insert('messages', 'account_id, id, title, text, url, datetime', 1, () => `${first}, '', 'text', '', '${time}'`);
  const deliveries = 'account_id, id, message_id, handler_id, type, lane, status, attempts, tries, is_counted, part, datetime';
  await insert('deliveries', deliveries, 1_100, (at) => `${first + at}, ${first}, 1, 'email', 'email:1', 'failed', 2, 2, 0, '', '${time}'`);
  const attempts = 'account_id, delivery_id, number, datetime, duration_ms, outcome, detail';
  await insert('delivery_attempts', attempts, 2_200, (at) => `${first + (at % 1_100)}, 1, '${time}', 1, 'rejected', ''`);
  await disableLongAgo(account.id);
  expect(await remove(account.id, true)).toEqual({ messages: 1, deliveries: 1_100, delivery_attempts: 2_200 });
  expect(await traces(account.id)).toEqual([]);
});
