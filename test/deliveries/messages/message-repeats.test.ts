// Runs on SQLite; in the whole run, on MySQL too.
import { type TestAccount, TestApplication, useApplication } from '../../support/application';
import { idOf } from '../../support/client';
import { holdClock } from '../../support/clock';
import { onMysql } from '../../support/database';
import { createWebhook, idsOf } from '../../support/deliveries';
import { expectErrors } from '../../support/errors';
import { DELIVERIES, HANDLERS, MESSAGES } from '../../support/records';

const { application, database } = useApplication({ DELIVERY_CONCURRENCY: '0' });
let account: TestAccount;

beforeEach(async () => {
  account = await application().createAccount();
  await createWebhook(account, 'https://hooks.example.com/');
});

const send = (fields: Record<string, string>, { client }: Pick<TestAccount, 'client'> = account) =>
  client.post(MESSAGES, { text: 'Down.', ...fields });

async function repeatsOf(id: number): Promise<number> {
  return ((await account.client.get(`${MESSAGES}/${id}`)).body as { data: { repeats: number } }).data.repeats;
}

test('a second message with the key is not created, and counts in the first', async () => {
  const first = await send({ dedup_key: 'disk' }).expect(201);
  const second = await send({ dedup_key: 'disk', text: 'Still down.' }).expect(200);
  expect(second.text).toBe(JSON.stringify({ data: { id: idOf(first) } }));
  expect(second.headers).not.toHaveProperty('location');
  await send({ dedup_key: 'disk' }).expect(200);
  expect(await repeatsOf(idOf(first))).toBe(2);
  expect(await idsOf(account, MESSAGES)).toEqual([idOf(first)]);
  expect(await idsOf(account, `${DELIVERIES}?message_id=${idOf(first)}`)).toHaveLength(1);
});

test('a key ends with the first message’s dedup_seconds, 300 by default, and not with a repeat', async () => {
  const clock = holdClock(application());
  const [short, long] = [await send({ dedup_key: 'a', dedup_seconds: '60' }), await send({ dedup_key: 'b' })].map(idOf);
  clock.move(59_999);
  expect(idOf(await send({ dedup_key: 'a', dedup_seconds: '86400' }).expect(200))).toBe(short);
  clock.move(1);
  expect(idOf(await send({ dedup_key: 'a' }).expect(201))).not.toBe(short);
  clock.move(239_999);
  expect(idOf(await send({ dedup_key: 'b' }).expect(200))).toBe(long);
  clock.move(1);
  await send({ dedup_key: 'b' }).expect(201);
});

test('keys differ by case, and by account', async () => {
  const other = await application().createAccount();
  await createWebhook(other, 'https://hooks.example.com/');
  await send({ dedup_key: 'Disk' }).expect(201);
  await send({ dedup_key: 'disk' }).expect(201);
  await send({ dedup_key: 'Disk' }, other).expect(201);
});

test('a key set while a clock was ahead does not outlast it', async () => {
  const clock = holdClock(application());
  clock.move(30 * 86_400_000);
  await send({ dedup_key: 'ahead' }).expect(201);
  clock.move(-30 * 86_400_000);
  await send({ dedup_key: 'ahead' }).expect(201);
});

test('a repeat needs no enabled handler: whatever became of the first', async () => {
  const first = idOf(await send({ dedup_key: 'gone' }).expect(201));
  const [handler] = await idsOf(account, HANDLERS);
  await account.client.delete(`${HANDLERS}/${handler}`).expect(200);
  expect(idOf(await send({ dedup_key: 'gone' }).expect(200))).toBe(first);
});

test('an Idempotency-Key repeats the answer, and counts once', async () => {
  const first = idOf(await send({ dedup_key: 'both' }).expect(201));
  for (let count = 0; count < 3; count++) {
    const repeat = await send({ dedup_key: 'both' }).set('Idempotency-Key', 'second').expect(200);
    expect([idOf(repeat), repeat.headers.location]).toEqual([first, undefined]);
  }
  expect(await repeatsOf(first)).toBe(1);
});

test('a message that is refused takes no key', async () => {
  await send({ dedup_key: 'refused', handler_ids: '2147483647' }).expect(400);
  await send({ dedup_key: 'refused' }).expect(201);
});

test('of fifty at once, one is created', async () => {
  for (const key of ['fifty', 'fifty-more']) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ dedup_key: key })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    expect(new Set(answers.map(idOf)).size).toBe(1);
    expect(await repeatsOf(idOf(answers[0]))).toBe(49);
  }
});

(onMysql ? test : test.skip)('of many at once on two processes, one is created', async () => {
  const other = await TestApplication.start({ ...database().env, DELIVERY_CONCURRENCY: '0' });
  try {
    const there = await other.createKey(account.id);
    for (const key of ['p', 'q', 'r']) {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => send({ dedup_key: key }, index % 2 ? there : account)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 39 }, () => 200), 201]);
      expect(new Set(answers.map(idOf)).size).toBe(1);
    }
  } finally {
    await other.stop();
  }
});

test.each([
  ...['', ' ', 'two words', 'tab\there', 'é', 'x'.repeat(256)].map((value) => ({ dedup_key: value })),
  ...['0', '86401', '1.5', '-1', 'x', ''].map((value) => ({ dedup_key: 'k', dedup_seconds: value })),
])('%j is refused', async (fields) => {
  const name = Object.keys(fields).at(-1)!;
  const refused = await account.client.send('POST', MESSAGES).send({ text: 'x', ...fields });
  expectErrors(refused, { code: 'invalid_parameter', source: `form.${name}` });
});

test('dedup_seconds needs a key', async () => {
  const detail = 'dedup_seconds needs a dedup_key.';
  expectErrors(await send({ dedup_seconds: '60' }), { code: 'invalid_parameter', source: 'form.dedup_seconds', detail });
});

test.each(['!', '~', 'x'.repeat(255), `'"\\;--`])('%j is a key', async (key) => {
  await account.client.send('POST', MESSAGES).send({ text: 'x', dedup_key: key, dedup_seconds: 86_400 }).expect(201);
  await account.client.send('POST', MESSAGES).send({ text: 'x', dedup_key: key, dedup_seconds: '1' }).expect(200);
});
