/** @mysql whole */
import type { TestAccount } from '../support/http/application';
import { PUBLIC_URL, useApplication } from '../support/http/application';
import { expectErrors } from '../support/http/errors';
import { insertNotification, NOTIFICATIONS } from '../support/areas/records';

const { application } = useApplication();
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
});

test('a notification has its fields in the documented order', async () => {
  const notification = await insertNotification(application(), account.id, {
    notification_key: '8f14e45fceea167a5a36dedd4bea2543',
    name: 'Fim de semana ☀️',
    type: 'COUNTDOWN_COLLECTOR',
    settings: JSON.parse('{"z":1,"a":{"list":[1,"two",null,false]},"é":"ü"}') as object,
    is_enabled: false,
    last_datetime: '2026-11-21 15:00:00',
  });
  const { id, campaign_id } = notification;
  const record =
    `{"id":${id},"campaign_id":${campaign_id},"notification_key":"8f14e45fceea167a5a36dedd4bea2543","name":"Fim de semana ☀️",` +
    `"type":"COUNTDOWN_COLLECTOR","settings":{"z":1,"a":{"list":[1,"two",null,false]},"é":"ü"},"is_enabled":false,` +
    `"last_datetime":"2026-11-21 15:00:00","datetime":"2026-11-21 14:05:09"}`;

  const read = await account.client.get(`${NOTIFICATIONS}/${id}`).expect(200);
  expect(read.text).toBe(`{"data":${record}}`);
  expect(read.headers['content-type']).toBe('application/json; charset=utf-8');

  const link = `${PUBLIC_URL}/api/notifications?&page=1`;
  const list = await account.client.get(`${NOTIFICATIONS}/`).expect(200);
  expect(list.text).toBe(
    `{"data":[${record}],"meta":{"page":1,"results_per_page":25,"total":1,"total_pages":1},` +
      `"links":{"first":"${link}","last":"${link}","next":null,"prev":null,"self":"${link}"}}`,
  );
});

test.each([
  ['spaces', '{ "title" : "Offer",\n"days": [ 1, 2 ] }', '{"title":"Offer","days":[1,2]}'],
  ['escapes', '{"title":"\\u00e9\\/\\u2600"}', '{"title":"é/☀"}'],
  ['numbers', '{"a":1.0,"b":1e2,"c":-0}', '{"a":1,"b":100,"c":0}'],
  ['repeated keys', '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
  ['numeric keys', '{"b":1,"2":2,"1":3}', '{"1":3,"2":2,"b":1}'],
])('settings stored with other %s are printed as JSON.stringify does', async (_difference, stored, shown) => {
  const { id } = await insertNotification(application(), account.id);
  await application().dataSource.query('UPDATE notifications SET settings = ? WHERE id = ?', [stored, id]);
  for (const path of [`${NOTIFICATIONS}/${id}`, NOTIFICATIONS]) {
    const { text } = await account.client.get(path).expect(200);
    expect(text).toContain(`"settings":${shown},"is_enabled"`);
  }
});

test.each([
  ['ASCII', 'Offer'],
  ['an emoji', 'Offer ☀️'],
])('a list too long to be sent as one string is complete: %s', async (_content, title) => {
  const settings = { title, text: 'a'.repeat(50_000) };
  for (let count = 0; count < 2; count++) await insertNotification(application(), account.id, { settings });
  const list = await account.client.get(NOTIFICATIONS).expect(200);
  expect((list.body as { data: { settings: object }[] }).data.map((record) => record.settings)).toEqual([settings, settings]);
  expect(list.headers['content-length']).toBe(String(Buffer.byteLength(list.text)));
  const head = await account.client.send('HEAD', NOTIFICATIONS);
  expect([head.status, head.headers['content-length'], head.text ?? '']).toEqual([200, list.headers['content-length'], '']);
});

test('last_datetime is null before the first update', async () => {
  const { id } = await insertNotification(application(), account.id);
  const { body } = await account.client.get(`${NOTIFICATIONS}/${id}`);
  expect(body.data).toMatchObject({ last_datetime: null, is_enabled: true, settings: {} });
});

test('a notification_key is unique across all accounts', async () => {
  const { notification_key } = await insertNotification(application(), account.id);
  await expect(insertNotification(application(), account.id, { notification_key })).rejects.toThrow(/unique|duplicate/i);
});

test('a notification belongs to a campaign', async () => {
  await expect(insertNotification(application(), account.id, { campaign_id: 999_999 })).rejects.toThrow(/foreign key/i);
});

test('no route writes notifications', async () => {
  const { id } = await insertNotification(application(), account.id);
  for (const [method, path] of [
    ['POST', NOTIFICATIONS],
    ['POST', `${NOTIFICATIONS}/${id}`],
    ['DELETE', `${NOTIFICATIONS}/${id}`],
  ]) {
    expectErrors(await account.client.send(method, path), { code: 'method_not_allowed' });
  }
  await account.client.get(`${NOTIFICATIONS}/${id}`).expect(200);
});
