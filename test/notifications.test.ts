import type { TestAccount } from './support/application';
import { PUBLIC_URL, useApplication } from './support/application';
import { expectErrors } from './support/errors';
import { insertNotification, NOTIFICATIONS } from './support/records';

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
