/** @mysql whole */
import { type TestAccount, useApplication } from '../../support/http/application';
import { expectErrors } from '../../support/http/errors';
import { DOMAINS, HANDLERS, HANDLERS_READ, insertNotification, newHost, NOTIFICATIONS } from '../../support/areas/records';
import { insertScheduling } from '../../support/areas/scheduling-records';

const { application } = useApplication();
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
});

const tagOf = async (path: string, client = account.client) => (await client.get(path).expect(200)).headers.etag;
const createDomain = async () => `${DOMAINS}/${await account.client.create(DOMAINS, { host: newHost() })}`;
const TOKEN = '123456:AAAA-bbbb';
const createHandler = () => account.client.create(HANDLERS, { name: 'Alarm', type: 'telegram', telegram: TOKEN });

let services = 0;
const READABLE: [string, () => Promise<string>][] = [
  ['a domain', createDomain],
  ['a handler', async () => `${HANDLERS_READ}/${await createHandler()}`],
  ['a notification', async () => `${NOTIFICATIONS}/${(await insertNotification(application(), account.id)).id}`],
  [
    'a scheduling record',
    async () => {
      services++;
      await insertScheduling(application(), account.id, { servicos: [{ servicos_id: services, servico_nome: 'Corte' }] });
      return `/scheduling?api=servicos&servicos-id=${services}`;
    },
  ],
];

test.each(READABLE)('%s has an entity tag, and If-None-Match with it returns 304', async (_name, create) => {
  const path = await create();
  const whole = await account.client.get(path).expect(200);
  expect(whole.headers.etag).toMatch(/^"[\w-]{22}"$/);
  expect(await tagOf(path)).toBe(whole.headers.etag);

  for (const tags of [whole.headers.etag, `"x", ${whole.headers.etag}`, `W/${whole.headers.etag}`, '*']) {
    const response = await account.client.get(path).set('If-None-Match', tags).expect(304);
    expect([response.text, response.headers.etag, response.headers['content-type']]).toEqual(['', whole.headers.etag, undefined]);
    expect(response.headers['x-request-id']).toBeDefined();
  }
  const changed = await account.client.get(path).set('If-None-Match', '"another"').expect(200);
  expect(changed.text).toBe(whole.text);
});

test.each(READABLE)('%s returns 304 to fetch(), which adds Cache-Control: no-cache to If-None-Match', async (_name, create) => {
  const path = await create();
  const tag = await tagOf(path);
  for (const control of ['no-cache', 'max-age=0, no-cache']) {
    await account.client.get(path).set('If-None-Match', tag).set('Cache-Control', control).set('Pragma', 'no-cache').expect(304);
    await account.client.get(path).set('If-None-Match', '"another"').set('Cache-Control', control).expect(200);
  }
  const headers = { Authorization: `Bearer ${account.key}`, 'If-None-Match': tag };
  expect((await fetch(`http://127.0.0.1:${application().port}${path}`, { headers })).status).toBe(304);
});

test('a list has no entity tag', async () => {
  for (const path of [DOMAINS, '/scheduling?api=servicos']) {
    const response = await account.client.get(path).set('If-None-Match', '*').expect(200);
    expect(response.headers.etag).toBeUndefined();
  }
});

test('every update changes the entity tag', async () => {
  const path = await createDomain();
  const tags = [await tagOf(path)];
  const changes: [string, string][] = [
    ['custom_index_url', 'https://example.com/'],
    ['custom_not_found_url', 'https://example.com/404'],
    ['host', newHost()],
  ];
  for (const [name, value] of changes) {
    await account.client.post(path, { [name]: value }).expect(200);
    tags.push(await tagOf(path));
  }
  expect(new Set(tags).size).toBe(tags.length);
});

test.each([
  ['a domain', DOMAINS, DOMAINS, () => ({ host: newHost() })],
  ['a handler', HANDLERS, HANDLERS_READ, () => ({ name: newHost(), type: 'email' })],
])('%s with a stale If-Match is neither updated nor deleted', async (_name, written, read, fields) => {
  const id = await account.client.create(written, fields());
  const path = `${written}/${id}`;
  const tag = () => tagOf(`${read}/${id}`);
  const update = (condition: string) => account.client.post(path, fields()).set('If-Match', condition);
  const stale = await tag();
  await update(stale).expect(200);

  const [newest, before] = [await tag(), await application().dump()];
  const refused = { code: 'precondition_failed', source: 'header.If-Match' } as const;
  for (const condition of [stale, `W/${newest}`, '"x"', 'nonsense', '']) {
    expectErrors(await update(condition), refused);
    expectErrors(await account.client.post(path).set('If-Match', condition), refused);
    expectErrors(await account.client.delete(path).set('If-Match', condition), refused);
  }
  expect(await application().dump()).toEqual(before);

  await update(`W/"x", "y", ${newest}`).expect(200);
  await update('*').expect(200);
  await account.client
    .delete(path)
    .set('If-Match', await tag())
    .expect(200);
  expectErrors(await account.client.delete(path).set('If-Match', '*'), { code: 'not_found' });
});

test('one of many concurrent updates with the same If-Match succeeds', async () => {
  const path = await createDomain();
  const tag = await tagOf(path);
  const answers = await Promise.all(Array.from({ length: 10 }, () => account.client.post(path, { host: newHost() }).set('If-Match', tag)));
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(9).fill(412)]);
});

test('the partial and the full representation of a record have different entity tags', async () => {
  const id = await createHandler();
  const { client } = await application().createKey(account.id, { scopes: ['notification-handlers:read', 'notification-handlers:write'] });
  const [all, part] = [await tagOf(`${HANDLERS_READ}/${id}`), await tagOf(`${HANDLERS_READ}/${id}`, client)];
  expect(part).not.toBe(all);
  await client.get(`${HANDLERS_READ}/${id}`).set('If-None-Match', all).expect(200);
  await client.post(`${HANDLERS}/${id}`, { name: 'By one' }).set('If-Match', part).expect(200);
});
