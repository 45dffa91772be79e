/** @mysql whole */
import { Clock } from '../../src/platform/common/clock';
import { DAY_MS, timestamp } from '../../src/platform/common/time';
import { Replayer } from '../../src/events/replays/replayer';
import { HandlerReplay } from '../../src/events/replays/replay.entity';
import type { ScopeName } from '../../src/auth/route-policies';
import { type TestAccount, useApplication } from '../support/http/application';
import { holdClock, until as when } from '../support/jest/clock';
import { runCommand } from '../support/areas/command';
import { auditOf, createWebhook, pageOf } from '../support/areas/deliveries';
import { expectErrors } from '../support/http/errors';
import { answer, receiver } from '../support/servers/receiver';
import { DELIVERIES, DOMAINS, HANDLERS, HANDLERS_READ, MESSAGES, newHost } from '../support/areas/records';

interface EventBody {
  id: string;
  datetime: string;
  record: { id: number };
}

interface Feed {
  data: EventBody[];
  meta: { next: string };
}

const { application, database } = useApplication({ DELIVERY_DAILY_LIMIT: 'slack=1' });
let account: TestAccount;
let handler: number;

beforeEach(async () => {
  receiver.move();
  account = await application().createAccount();
  handler = await createWebhook(account, receiver.url('/'));
  await account.client.post(`${HANDLERS}/${handler}/events`, { types: 'domain.created' }).expect(200);
});

const pathOf = (id = handler) => `${HANDLERS}/${id}/replay`;
const start = (form: Record<string, string>, id = handler) => account.client.post(pathOf(id), form);
const feed = async (query = 'types=domain.created&limit=1000') =>
  (await account.client.get(`/api/events?${query}`).expect(200)).body as Feed;
const cursor = async () => (await feed('after=latest')).meta.next;
const idsOfFeed = async (owner = account) =>
  (await pageOf<EventBody>(owner, '/api/events?types=domain.created&limit=1000')).data.map(({ id }) => id);
const receivedIds = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
const replayOf = async (id = handler) =>
  ((await account.client.get(pathOf(id)).expect(200)).body as { data: { sent: number; left: number } | null }).data;
const ended = () => when(replayOf, (replay) => replay === null);
const enable = (is_enabled: 0 | 1) => account.client.post(`${HANDLERS}/${handler}`, { is_enabled: String(is_enabled) }).expect(200);

async function addDomains(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await account.client.create(DOMAINS, { host: newHost() });
}

/** Creates events that the handler misses while disabled. */
async function missed(count: number): Promise<string> {
  await enable(0);
  const from = await cursor();
  await addDomains(count);
  await enable(1);
  return from;
}

test('a replay sends the missed events once, in order', async () => {
  await addDomains(2);
  await receiver.received(2);
  const from = await missed(30);
  const until = await cursor();
  await addDomains(1);
  await receiver.received(3);
  const { body } = await start({ from, until }).expect(200);
  const { datetime } = (await feed()).data[2];
  expect(body).toEqual({ data: { from: datetime, until: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string } });
  await ended();
  await receiver.received(33);
  const expected = await idsOfFeed();
  expect(receivedIds().slice(3).sort()).toEqual(expected.slice(2, 32).sort());
  const messages = (await pageOf<{ title: string; text: string }>(account, `${MESSAGES}?results_per_page=100`)).data;
  const hosts = (await pageOf<{ host: string }>(account, `${DOMAINS}?results_per_page=100`)).data.map(({ host }) => host);
  expect(messages.map(({ text }) => text.split(' ')[0])).toEqual([...hosts.slice(0, 2), hosts[32], ...hosts.slice(2, 32)]);
});

test('a replayed webhook has the same id and body, except for current', async () => {
  await addDomains(1);
  const [first] = await receiver.received(1);
  const [{ record, datetime }] = (await feed()).data;
  await account.client.post(`${DOMAINS}/${record.id}`, { custom_index_url: 'https://example.com/' }).expect(200);
  await start({ from: datetime }).expect(200);
  const [, again] = await receiver.received(2);
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(again.body).not.toBe(first.body);
  const withoutCurrent = (body: string) => body.replace(/"current":\{[^}]*\}/, '');
  expect(withoutCurrent(again.body)).toBe(withoutCurrent(first.body));
});

test('a replay may start and end at times, to the second', async () => {
  const clock = holdClock(application());
  await enable(0);
  const times: string[] = [];
  for (let count = 0; count < 6; count++) {
    clock.move(1_000);
    await addDomains(1);
    times.push((await feed()).data[count].datetime);
  }
  await enable(1);
  const { body } = await start({ from: times[1], until: `${times[3].replace(' ', 'T')}Z` }).expect(200);
  expect(body).toEqual({ data: { from: times[1], until: times[3] } });
  await ended();
  await receiver.received(3);
  expect(receivedIds().sort()).toEqual((await idsOfFeed()).slice(1, 4).sort());
});

test('a replay from a time skips older events with the same number', async () => {
  await enable(0);
  await addDomains(3);
  const ids = (await feed()).data.map(({ id }) => Number(id.split('_')[2]));
  const { dataSource } = application();
  const [{ number }] = await dataSource.query<{ number: number }[]>('SELECT number FROM events WHERE id = ?', [ids[2]]);
  await dataSource.query(`UPDATE events SET number = ? WHERE id IN (${ids.join()})`, [number]);
  const old = new Date(Date.now() - 1_800_000).toISOString().slice(0, 19).replace('T', ' ');
  await dataSource.query('UPDATE events SET datetime = ? WHERE id = ?', [old, ids[0]]);
  await enable(1);
  await start({ from: new Date(Date.now() - 60_000).toISOString() }).expect(200);
  await receiver.received(2);
  await ended();
  expect(receivedIds().sort()).toEqual((await idsOfFeed()).slice(1).sort());
});

test('a replay pauses for a failing receiver', async () => {
  receiver.answer = answer(500);
  const from = await missed(40);
  await start({ from }).expect(200);
  await receiver.received(8);
  await when(replayOf, (replay) => replay !== null && replay.sent === new Set(receivedIds()).size);
  expect((await replayOf())!.sent).toBeLessThanOrEqual(12); // four in flight, eight pending
  await account.client.delete(pathOf()).expect(200);
});

test('concurrent replays of many handlers all complete', async () => {
  const from = await missed(1);
  const handlers = [handler];
  for (let count = 0; count < 24; count++) {
    const other = await createWebhook(account, receiver.url(`/${count}`));
    await account.client.post(`${HANDLERS}/${other}/events`, { types: 'domain.created' }).expect(200);
    handlers.push(other);
  }
  for (const each of handlers) await start({ from }, each).expect(200);
  await receiver.received(25);
  for (const each of handlers)
    await when(
      () => replayOf(each),
      (replay) => replay === null,
    );
  expect(receiver.requests).toHaveLength(25);
});

test('a replay shows its progress, does not delay new events, and is not started twice', async () => {
  receiver.answer = () => undefined; // the receiver hangs
  const from = await missed(40);
  await start({ from }).expect(200);
  const { left } = (await when(replayOf, (replay) => replay?.sent === 12))!; // four in flight, eight pending
  expect(left).toBe(28);
  expectErrors(await start({ from }), { code: 'replay_in_progress', detail: /28 events are left/ });
  await addDomains(1);
  const newest = (await idsOfFeed()).at(-1)!;
  receiver.hangUp();
  receiver.answer = answer(204);
  await when(receivedIds, (ids) => ids.includes(newest));
  expect((await account.client.delete(pathOf()).expect(200)).body).toEqual({ data: null });
  expect(new Set(receivedIds()).size).toBeLessThan(41);
});

test('DELETE, disabling, unsubscribing and changing the type each end a replay for good', async () => {
  receiver.answer = () => undefined;
  const ways = [
    () => account.client.delete(`${HANDLERS_READ}/${handler}/replay`).expect(200),
    () => enable(0),
    () => account.client.post(`${HANDLERS}/${handler}/events`, { types: '' }).expect(200),
    () => account.client.post(`${HANDLERS}/${handler}`, { type: 'slack', slack: receiver.url('/slack') }).expect(200),
  ];
  for (const end of ways) {
    const from = await missed(20);
    await start({ from }).expect(200);
    await end();
    await enable(1);
    await account.client.post(`${HANDLERS}/${handler}/events`, { types: 'domain.created' }).expect(200);
    expect(await replayOf()).toBeNull();
    receiver.hangUp();
  }
  expect((await account.client.delete(pathOf()).expect(200)).body).toEqual({ data: null });
  const actions = (await auditOf(application(), account, 'notification handler')).map(({ action }) => action);
  expect(actions.filter((action) => String(action).includes('replay'))).toEqual(['replay', 'end_replay', 'replay', 'replay', 'replay']);
  expect((await feed('types=notification_handler.*')).data.filter(({ record }) => record.id !== handler)).toEqual([]);
});

describe('rejected replay', () => {
  const TIME = '2026-11-21 14:30:00';

  test('a replay is rejected for a handler that is unknown, disabled or not subscribed', async () => {
    const from = await cursor();
    expectErrors(await start({ from }, 999_999), { code: 'not_found' });
    const stranger = await application().createAccount();
    for (const method of ['get', 'delete'] as const) expectErrors(await stranger.client[method](pathOf()), { code: 'not_found' });
    expectErrors(await stranger.client.post(pathOf(), { from }), { code: 'not_found' });
    expectErrors(await start({ from }, await createWebhook(account, receiver.url('/'))), { code: 'handler_unavailable' });
    await enable(0);
    expectErrors(await start({ from }), { code: 'handler_unavailable' });
  });

  test('a replay is rejected for invalid, reversed and foreign positions', async () => {
    const invalid = (name: string) => ({ code: 'invalid_parameter', source: `form.${name}` }) as const;
    expectErrors(await start({}), { code: 'missing_parameter', source: 'form.from' });
    for (const from of ['9999-12-31T23:59:59-23:59', 'yesterday', 'oldest', 'latest', '2026-11-21', `${TIME}+25:00`, 'x'.repeat(300)])
      expectErrors(await start({ from }), invalid('from'));
    const stranger = (await application().createAccount()).client;
    const foreign = ((await stranger.get('/api/events?after=latest')).body as Feed).meta.next;
    expectErrors(await start({ from: foreign }), { ...invalid('from'), detail: /cursor of the feed/ });
    const [early, late] = [await cursor(), (await addDomains(1), await cursor())];
    expectErrors(await start({ from: late, until: early }), invalid('from'));
    expectErrors(await start({ from: early, until: foreign }), invalid('until'));
    const now = Date.now();
    const [before, after] = [now - 60_000, now + 60_000].map((time) => new Date(time).toISOString());
    expectErrors(await start({ from: after }), invalid('from'));
    expectErrors(await start({ from: new Date(now).toISOString(), until: before }), invalid('from'));
    expectErrors(await start({ from: before, colour: 'red' }), { code: 'unknown_parameter', source: 'form.colour' });
    expectErrors(await start({ from: before }).set('Idempotency-Key', 'one'), {
      code: 'invalid_parameter',
      source: 'header.Idempotency-Key',
    });
    expect(await replayOf()).toBeNull();
  });

  test('a replay is rejected for positions that are no longer kept', async () => {
    const clock = holdClock(application());
    clock.move(31 * 86_400_000);
    expectErrors(await start({ from: new Date().toISOString() }), {
      code: 'cursor_expired',
      source: 'form.from',
      detail: /no longer kept: give a later time/,
    });
    await start({ from: new Date(Date.now() + 2 * 86_400_000).toISOString() }).expect(200);
    await ended();
    const from = await cursor();
    expect((await runCommand(database().env, ['events', 'reset'])).code).toBe(0);
    expectErrors(await start({ from }), { code: 'cursor_expired', source: 'form.from', detail: /give a time/ });
  });

  test('a replay requires the read scopes of the events', async () => {
    const withScopes = async (...scopes: ScopeName[]) => (await application().createKey(account.id, { scopes })).client;
    const lacks = (detail: RegExp) => ({ code: 'insufficient_scope', source: 'header.Authorization', detail }) as const;
    const from = await cursor();
    expectErrors(await (await withScopes('notification-handlers:write')).post(pathOf(), { from }), lacks(/events:read/));
    const some = await withScopes('notification-handlers:write', 'events:read');
    expectErrors(await some.post(pathOf(), { from }), lacks(/domains:read/));
    expectErrors(await some.get(pathOf()), lacks(/notification-handlers:read/));
    const reader = await withScopes('notification-handlers:read');
    expectErrors(await reader.delete(pathOf()), lacks(/notification-handlers:write/));
    expect((await reader.get(pathOf()).expect(200)).body).toEqual({ data: null });
  });
});

test('a failing replay does not stop another handler’s', async () => {
  const from = await missed(3);
  const other = await createWebhook(account, receiver.url('/other'));
  await account.client.post(`${HANDLERS}/${other}/events`, { types: 'domain.created' }).expect(200);
  const replayer = application().app.get<{ remainingRoom(replay: HandlerReplay): Promise<number> }>(Replayer);
  const remainingRoom = replayer.remainingRoom.bind(replayer);
  const faulty = jest.spyOn(replayer, 'remainingRoom').mockImplementation((replay, ...rest: []) => {
    if (replay.handler_id === handler) throw new Error('faulty');
    return remainingRoom(replay, ...rest);
  });
  await start({ from }).expect(200);
  await start({ from }, other).expect(200);
  await when(
    () => replayOf(other),
    (replay) => replay === null,
  );
  expect(await replayOf()).toMatchObject({ sent: 0, left: 3 });
  faulty.mockRestore();
  await ended();
});

test('the command events replay starts a replay', async () => {
  const from = await missed(2);
  const run = (...rest: string[]) => runCommand(database().env, ['events', 'replay', String(handler), ...rest]);
  const { code, stderr } = await run('--from', from);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^The events from \S+ \S+ until \S+ \S+ are being sent again\.\n$/)]);
  await receiver.received(2);
  await ended();
  for (const rest of [[], ['--from', 'yesterday'], ['--from', from, '--until', '2026-11-21']]) expect((await run(...rest)).code).toBe(1);
  expect((await runCommand(database().env, ['events', 'replay', '999999', '--from', from])).stderr).toMatch(
    /There is no notification handler/,
  );
});

describe('replay under a daily limit', () => {
  const NOON_MS = DAY_MS / 2;
  const { application: limited } = useApplication({ DELIVERY_DAILY_LIMIT: 'webhook=20' });

  test('a replay uses half of the remaining daily limit, and continues the next day', async () => {
    const clock = holdClock(limited());
    const now = () => limited().app.get(Clock).now();
    clock.move(DAY_MS - (now() % DAY_MS) + NOON_MS);
    const owner = await limited().createAccount();
    const { client } = owner;
    const id = await createWebhook(owner, receiver.url('/'));
    await client.post(`${HANDLERS}/${id}/events`, { types: 'domain.created' }).expect(200);
    await client.post(`${HANDLERS}/${id}`, { is_enabled: '0' }).expect(200);
    const from = ((await client.get('/api/events?after=latest').expect(200)).body as Feed).meta.next;
    for (let count = 0; count < 13; count++) await client.create(DOMAINS, { host: newHost() });
    await client.post(`${HANDLERS}/${id}`, { is_enabled: '1' }).expect(200);
    await client.post(pathOf(id), { from }).expect(200);
    const replay = async () =>
      ((await client.get(pathOf(id)).expect(200)).body as { data: { sent: number; left: number; waits_until: string | null } | null }).data;
    const midnight = timestamp(now() + NOON_MS);
    expect(await when(replay, (found) => found?.waits_until !== null)).toMatchObject({ sent: 10, left: 3, waits_until: midnight });
    for (let count = 0; count < 10; count++) await client.create(MESSAGES, { text: 'alert', handler_ids: String(id) });
    await receiver.received(20);
    clock.move(NOON_MS);
    expect(await when(replay, (found) => found === null)).toBeNull();
    await receiver.received(23);
    const deliveries = await when(
      () => pageOf<{ status: string }>(owner, `${DELIVERIES}?results_per_page=100`),
      ({ data }) => data.every(({ status }) => status !== 'pending'),
    );
    expect(deliveries.data.map(({ status }) => status)).toEqual(Array(23).fill('delivered'));
  });

  test('a replay without events ends at once, even with no daily limit remaining', async () => {
    const owner = await limited().createAccount();
    const { client } = owner;
    const id = await createWebhook(owner, receiver.url('/'));
    for (let count = 0; count < 20; count++) await client.create(MESSAGES, { text: 'alert', handler_ids: String(id) });
    await receiver.received(20);
    await client.post(`${HANDLERS}/${id}/events`, { types: 'domain.created' }).expect(200);
    await client.post(pathOf(id), { from: timestamp(limited().app.get(Clock).now() - DAY_MS) }).expect(200);
    await when(
      () => client.get(pathOf(id)),
      ({ text }) => text === '{"data":null}',
    );

    await client.create(DOMAINS, { host: newHost() });
    await client.post(pathOf(id), { from: timestamp(limited().app.get(Clock).now() - DAY_MS) }).expect(200);
    const find = () => limited().dataSource.getRepository(HandlerReplay).findOneByOrFail({ handler_id: id });
    const { share, sent } = await when(find, ({ share_ends }) => Number(share_ends) > 0); // not processed before
    expect([share, sent]).toEqual([0, 0]);
    expect((await client.get(pathOf(id))).body).toMatchObject({
      data: { left: 1, waits_until: expect.stringMatching(/ 00:00:00$/) as string },
    });
  });
});

test('a replay is rejected if half of the daily limit is less than one', async () => {
  const slack = await account.client.create(HANDLERS, { name: 'Slack', type: 'slack', slack: receiver.url('/slack') });
  await account.client.post(`${HANDLERS}/${slack}/events`, { types: 'domain.created' }).expect(200);
  const refused = await start({ from: await cursor() }, slack);
  expectErrors(refused, { code: 'handler_unavailable', detail: /half of the daily limit of slack, 1:/ });
});

test('a replay through a paid channel must be confirmed', async () => {
  const phone = await account.client.create(HANDLERS, { name: 'Phone', type: 'twilio', twilio: '+5511987654321' });
  await account.client.post(`${HANDLERS}/${phone}/events`, { types: 'domain.created' }).expect(200);
  await account.client.post(`${HANDLERS}/${phone}`, { is_enabled: '0' }).expect(200);
  const from = await cursor();
  await addDomains(3);
  await account.client.post(`${HANDLERS}/${phone}`, { is_enabled: '1' }).expect(200);
  for (const form of [{ from }, { from, confirm: '0' }] as Record<string, string>[])
    expectErrors(await start(form, phone), {
      code: 'replay_unconfirmed',
      detail: /by twilio cost money, and this replay would send 3\./,
      source: 'form.confirm',
    });
  const run = (...rest: string[]) => runCommand(database().env, ['events', 'replay', String(phone), '--from', from, ...rest]);
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/this replay would send 3\. Repeat the command with --confirm/) as string,
  });
  expect(await replayOf(phone)).toBeNull();
  await start({ from, confirm: '1' }, phone).expect(200);
  await when(
    () => replayOf(phone),
    (replay) => replay === null,
  );
  expect((await pageOf(account, `${DELIVERIES}?handler_id=${phone}`)).data).toHaveLength(3);
  expect(await run('--confirm')).toMatchObject({ code: 0 });
});
