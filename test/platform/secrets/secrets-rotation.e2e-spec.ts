/** @mysql whole */
import { readFileSync, statSync } from 'node:fs';
import { DeliveryTargets } from '../../../src/notification-handlers/delivery-targets';
import { type Outcome, runCommand } from '../../support/areas/command';
import { type TestApplication, withApplication } from '../../support/http/application';
import { createDatabase, newSecretsKey, onMysql, type TestDatabase } from '../../support/servers/database';
import { HANDLERS, HANDLERS_READ } from '../../support/areas/records';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

const settingsOf = async (application: TestApplication) =>
  (await application.rows('notification_handlers')).map(({ settings }) => String(settings).split('.'));
const rotate = (env: Record<string, string | undefined>): Promise<Outcome> => runCommand(env, ['secrets', 'rotate']);

/** Runs the work beside concurrent writers, and checks that each handler has its writer's last acknowledged value. */
async function whileWriting(application: TestApplication, work: () => Promise<void>): Promise<void> {
  const { client } = await application.createAccount();
  const create = (email: string) => client.create(HANDLERS, { name: 'written', type: 'email', email });
  const ids = await Promise.all(Array.from({ length: 4 }, () => create('first@example.com')));
  let isOver = false;
  const writers = ids.map(async (id) => {
    let count = 0;
    do await client.post(`${HANDLERS}/${id}`, { email: `w${id}-${++count}@example.com` }).expect(200);
    while (!isOver);
    expect((await client.get(`${HANDLERS_READ}/${id}`).expect(200)).body).toMatchObject({
      data: { settings: { email: `w${id}-${count}@example.com` } },
    });
  });
  await work();
  isOver = true;
  await Promise.all(writers);
}

async function createHandlers(application: TestApplication, count: number) {
  const { client } = await application.createAccount();
  for (let index = 0; index < count; index++) {
    await client.create(HANDLERS, { name: `of ${index}`, type: 'telegram', telegram: `12345:canary-${index}` });
  }
  return async () => {
    const { body } = await client.get(`${HANDLERS_READ}?results_per_page=1000`).expect(200);
    return (body as { data: { settings: object }[] }).data.map(({ settings }) => settings);
  };
}

test('secrets rotate re-encrypts every value while the service writes', async () => {
  const [oldKey, newKey] = [newSecretsKey(), newSecretsKey()];
  const env = { ...database.env, SECRETS_KEY: oldKey };
  let before: object[] = [];
  await withApplication(env, async (application) => {
    before = await (await createHandlers(application, 30))();
  });
  const both = { ...env, SECRETS_KEY: `${newKey},${oldKey}` };
  await withApplication(both, async (application) => {
    const old = await settingsOf(application);
    await whileWriting(application, async () => {
      expect(await rotate(both)).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^Re-encrypted 3\d notification handlers;/) as string,
      });
    });
    const ids = new Set((await settingsOf(application)).map(([id]) => id));
    expect(ids.size).toBe(1);
    expect(ids).not.toContain(old[0][0]);
    expect((await application.audited()).filter(({ action }) => action === 'rotate').length).toBeGreaterThanOrEqual(30);
  });
  await withApplication({ ...env, SECRETS_KEY: newKey }, async (application) => {
    const { client } = await application.createKey(1);
    const { body } = await client.get(`${HANDLERS_READ}?results_per_page=1000`).expect(200);
    expect((body as { data: { settings: object }[] }).data.map(({ settings }) => settings)).toEqual(before);
  });
  expect(await rotate({ ...env, SECRETS_KEY: newKey })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Re-encrypted 0 /) as string,
  });
});

test('a handler keeps its entity tag when its settings are re-encrypted', async () => {
  const [oldKey, newKey] = [newSecretsKey(), newSecretsKey()];
  const env = { ...database.env, SECRETS_KEY: `${newKey},${oldKey}` };
  let [key, id, tag] = ['', 0, ''];
  const path = () => `${HANDLERS}/${id}`;
  await withApplication({ ...env, SECRETS_KEY: oldKey }, async (application) => {
    const account = await application.createAccount();
    id = await account.client.create(HANDLERS, { name: 'kept', type: 'telegram', telegram: '12345:canary' });
    [key, tag] = [account.key, (await account.client.get(path())).headers.etag];
  });
  expect(await rotate(env)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Re-encrypted 1 /) as string });
  await withApplication({ ...env, SECRETS_KEY: newKey }, async (application) => {
    const client = application.client(key);
    await client.get(path()).set('If-None-Match', tag).expect(304);
    await client.post(path(), { telegram: '12345:another' }).set('If-Match', tag).expect(200);
    await client.post(path(), { name: 'late' }).set('If-Match', tag).expect(412);
    expect((await client.get(path()).expect(200)).headers.etag).not.toBe(tag);
  });
});

test('signing secrets are re-encrypted, too, and the command prints the number of handlers', async () => {
  const [oldKey, newKey] = [newSecretsKey(), newSecretsKey()];
  const env = { ...database.env, SECRETS_KEY: `${newKey},${oldKey}` };
  let [key, path, secret] = ['', '', ''];
  let signing: string[] = [];
  const secretIn = ({ body }: { body: unknown }) => (body as { data: { secret: string } }).data.secret;
  const targets = (application: TestApplication) => application.app.get(DeliveryTargets, { strict: false });
  let id = 0;
  await withApplication({ ...env, SECRETS_KEY: oldKey }, async (application) => {
    const account = await application.createAccount();
    id = await account.client.create(HANDLERS, { name: 'Desk', type: 'webhook' });
    [key, path] = [account.key, `${HANDLERS}/${id}/signing-secret`];
    await account.client.get(path).expect(200);
    secret = secretIn(await account.client.send('POST', path).expect(200));
    signing = await (await targets(application).find([id])).get(id)!.signingSecrets();
  });
  expect(await rotate(env)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Re-encrypted 1 notification handler;/) as string });
  await withApplication({ ...env, SECRETS_KEY: newKey }, async (application) => {
    expect(secretIn(await application.client(key).get(path).expect(200))).toBe(secret);
    expect(await (await targets(application).find([id])).get(id)!.signingSecrets()).toEqual(signing);
    const rotated = (await application.audited()).filter(({ action }) => action === 'rotate');
    expect(rotated.map(({ record, record_id }) => [record, record_id])).toEqual([
      ['notification handler', id],
      ['signing secret', id],
      ['signing secret', id],
    ]);
  });
  expect(await rotate({ ...env, SECRETS_KEY: newKey })).toMatchObject({ stderr: expect.stringMatching(/^Re-encrypted 0 /) as string });
});

test('secrets rotate reports a missing key and changes nothing', async () => {
  const [oldKey, newKey] = [newSecretsKey(), newSecretsKey()];
  const env = { ...database.env, SECRETS_KEY: oldKey };
  await withApplication(env, async (application) => {
    const read = await createHandlers(application, 2);
    const before = await settingsOf(application);
    expect(await rotate({ ...env, SECRETS_KEY: newKey })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/SECRETS_KEY/) as string,
    });
    expect(await settingsOf(application)).toEqual(before);
    expect(await read()).toHaveLength(2);
  });
});

if (!onMysql) {
  test('secrets rotate without SECRETS_KEY adds a key to the key file, and a running service uses it', async () => {
    const file = `${database.env.DATABASE_URL.slice('sqlite:'.length)}.key`;
    await withApplication(database.env, async (application) => {
      const read = await createHandlers(application, 10);
      const before = await read();
      const keyBefore = readFileSync(file, 'utf8');
      await whileWriting(application, async () => {
        for (let round = 0; round < 2; round++) expect(await rotate(database.env)).toMatchObject({ code: 0 });
      });
      expect(await read()).toEqual(before);
      expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
      expect(readFileSync(file, 'utf8')).not.toContain(keyBefore.trim());
      expect(statSync(file).mode & 0o777).toBe(0o600);
    });
    await withApplication(database.env, async (application) => {
      expect(new Set((await settingsOf(application)).map(([id]) => id)).size).toBe(1);
    });
  });
}
