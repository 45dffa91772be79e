/** @mysql whole */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DataSource } from 'typeorm';
import type { TestApplication } from '../../support/http/application';
import { withApplication } from '../../support/http/application';
import { createDatabase, newSecretsKey, onMysql, type TestDatabase } from '../../support/servers/database';
import { expectErrors } from '../../support/http/errors';
import { HANDLERS } from '../../support/areas/records';

const CANARY = 'https://hooks.example.com/canary-4d1f9e0b';
let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(async () => {
  await database.drop();
});

const withKeys = (keys: string[], work: (application: TestApplication) => Promise<void>) =>
  withApplication({ ...database.env, SECRETS_KEY: keys.join(',') }, work);

async function settingsOf(application: TestApplication, id: number): Promise<string> {
  return (await application.rows('notification_handlers')).find((row) => row.id === id)!.settings as string;
}

test('handler settings are encrypted in the database', async () => {
  await withApplication(database.env, async (application) => {
    const { client } = await application.createAccount();
    const create = () => client.create(HANDLERS, { name: 'Desk', type: 'slack', slack: CANARY });
    const stored = [await settingsOf(application, await create()), await settingsOf(application, await create())];
    expect(stored[0]).not.toBe(stored[1]);
    for (const value of stored) {
      const [, data] = value.split('.');
      for (const seen of [value, Buffer.from(data, 'base64').toString('latin1')]) expect(seen).not.toMatch(/canary|hooks|slack/);
    }
    if (!onMysql) {
      const folder = dirname(database.env.DATABASE_URL.slice('sqlite:'.length));
      const files = readdirSync(folder);
      expect(files).toContain('frontdesk.sqlite-wal');
      for (const file of files) expect([file, readFileSync(join(folder, file)).includes('canary-4d1f9e0b')]).toEqual([file, false]);
    }
  });
});

test('a tampered value, or one of another account, can’t be decrypted', async () => {
  await withApplication(database.env, async (application) => {
    const owner = await application.createAccount();
    const other = await application.createAccount();
    const from = await owner.client.create(HANDLERS, { name: 'Desk', type: 'slack', slack: CANARY });
    const to = await other.client.create(HANDLERS, { name: 'Desk', type: 'slack' });
    const stored = await settingsOf(application, from);
    const changed = stored.slice(0, -6) + (stored.at(-6) === 'A' ? 'B' : 'A') + stored.slice(-5);
    for (const value of [stored, changed]) {
      await application.dataSource.query('UPDATE notification_handlers SET settings = ? WHERE id = ?', [value, to]);
      const response = await other.client.get(`${HANDLERS}/${to}`);
      expectErrors(response, { code: 'internal_error' });
      expect(response.text).not.toContain('canary');
    }
  });
});

test('the first key of SECRETS_KEY encrypts, and all of them decrypt', async () => {
  const [old, fresh] = [newSecretsKey(), newSecretsKey()];
  let key = '';
  let updated = 0;
  let left = 0;
  const read = (application: TestApplication, id: number) => application.client(key).get(`${HANDLERS}/${id}`);

  await withKeys([old], async (application) => {
    const account = await application.createAccount();
    key = account.key;
    left = await account.client.create(HANDLERS, { name: 'Desk', type: 'slack', slack: CANARY });
    updated = await account.client.create(HANDLERS, { name: 'Desk', type: 'slack', slack: CANARY });
  });
  await withKeys([fresh, old], async (application) => {
    expect((await read(application, left)).body).toMatchObject({ data: { settings: { slack: CANARY } } });
    await application.client(key).post(`${HANDLERS}/${updated}`, { name: 'Front desk' }).expect(200);
    const [keyOfUpdated, keyOfLeft] = [await settingsOf(application, updated), await settingsOf(application, left)].map(
      (value) => value.split('.')[0],
    );
    expect(keyOfUpdated).not.toBe(keyOfLeft);
  });
  await withKeys([fresh], async (application) => {
    expect((await read(application, updated)).body).toMatchObject({ data: { name: 'Front desk', settings: { slack: CANARY } } });
    expectErrors(await read(application, left), { code: 'internal_error' });
  });
  await expect(withKeys([old], async () => {})).rejects.toThrow('encrypted with a key that is in neither SECRETS_KEY nor the key file');
});

test('a missing key of the signing secrets stops the start', async () => {
  const [old, fresh] = [newSecretsKey(), newSecretsKey()];
  let key = '';
  let id = 0;
  await withKeys([old], async (application) => {
    const account = await application.createAccount();
    key = account.key;
    id = await account.client.create(HANDLERS, { name: 'Desk', type: 'webhook' });
    await account.client.get(`${HANDLERS}/${id}/signing-secret`).expect(200);
  });
  await withKeys([fresh, old], async (application) => {
    await application.client(key).post(`${HANDLERS}/${id}`, { name: 'Front desk' }).expect(200);
  });
  const initializations = jest.spyOn(DataSource.prototype, 'initialize');
  await expect(withKeys([fresh], async () => {})).rejects.toThrow(
    'Signing secrets are encrypted with a key that is in neither SECRETS_KEY nor the key file: restore that key.',
  );
  expect(initializations.mock.contexts.map(({ isInitialized }) => isInitialized)).toEqual([false]); // its connections are closed
});

if (!onMysql) {
  test('the first start of the embedded database creates a key file readable only by its owner', async () => {
    const file = `${database.env.DATABASE_URL.slice('sqlite:'.length)}.key`;
    let key = '';
    let id = 0;
    await withApplication(database.env, async (application) => {
      const account = await application.createAccount();
      key = account.key;
      id = await account.client.create(HANDLERS, { name: 'Desk', type: 'slack', slack: CANARY });
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toHaveLength(32);
    await withApplication(database.env, async (application) => {
      expect((await application.client(key).get(`${HANDLERS}/${id}`)).body).toMatchObject({ data: { settings: { slack: CANARY } } });
    });
  });
}
