/** @mysql whole */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/jest/clock';
import { DATABASE, onMysql } from '../../support/servers/database';
import { createWebhook, type DeliveryBody, deliveryWhen, pageOf, sendMessage } from '../../support/areas/deliveries';
import { INDEX_URL, NOT_FOUND_URL } from '../../support/http/edge';
import { MovingService, WAIT_SECONDS } from './moving-service';
import { DELIVERIES, DOMAINS, HANDLERS, MESSAGES, newHost } from '../../support/areas/records';
import { isWhole } from '../../support/jest/size';

/** How many events are replayed, and how many of them are received before the move. */
const [REPLAYED, EARLY] = [24, 5];
/** Five processes start in it, one after another. */
const SETUP_MS = 300_000;
const PATHS = ['/first', '/second', '/third', '/later', '/failing', '/replayed'] as const;
const LAST_URL = 'https://example.net/last';
const PLACES = { 'a file': 'sqlite', 'the tested database': DATABASE };
const WAYS = [['a file', 'the tested database'] as const, ...(onMysql ? [['the tested database', 'a file'] as const] : [])];

interface Recorded {
  id: number;
}

(isWhole ? describe : describe.skip).each(WAYS)('after a move from %s to %s', (source, target) => {
  const service = new MovingService();
  const { receiver, seen } = service;
  let handlers: Record<(typeof PATHS)[number], number>;
  let hosts: string[];
  let left: Awaited<ReturnType<typeof leaveWork>>;
  let first: Awaited<ReturnType<typeof edgeAnswers>>;

  beforeAll(async () => {
    await service.start(PLACES[source], PLACES[target]);
    await serveHosts();
    left = await leaveWork();
    receiver.accepts = () => true;
    await service.move();
    [first] = await Promise.all([firstEdgeAnswers(), service.ready()]);
  }, SETUP_MS);

  afterAll(() => service.stop());

  const client = () => service.account.client;
  const listOf = async <R>(path: string) => (await pageOf<R>(service.account, path)).data;
  const eventIds = async (query = '') => (await listOf<{ id: string }>(`/api/events?limit=1000${query}`)).map(({ id }) => id);
  const createDomain = (fields: Record<string, string> = {}) => client().create(DOMAINS, { host: newHost(), ...fields });
  const pending = () => listOf<DeliveryBody>(`${DELIVERIES}?status=pending&results_per_page=1000`);
  const replay = async () =>
    ((await client().get(`${HANDLERS}/${handlers['/replayed']}/replay`).expect(200)).body as { data: { sent: number } | null }).data;

  /** A live host, an unverified one, and a third whose new redirect shows that the edge knows all of them. */
  async function serveHosts(): Promise<void> {
    hosts = Array.from({ length: 3 }, newHost);
    const ids: number[] = [];
    for (const host of hosts) ids.push(await createDomain({ host, custom_index_url: INDEX_URL, custom_not_found_url: NOT_FOUND_URL }));
    for (const index of [0, 2]) await service.run('domains', 'verify', String(ids[index]));
    await client().post(`${DOMAINS}/${ids[2]}`, { custom_index_url: LAST_URL }).expect(200);
    await until(edgeAnswers, (answers) => answers.some(({ location }) => location === LAST_URL));
  }

  function edgeAnswers() {
    const pages = ['/', '/other'].flatMap((path) => hosts.map((host) => ({ host, path })));
    const asked = hosts.map((host) => ({ host: 'localhost', path: `/.frontdesk/ask?domain=${host}` }));
    return Promise.all(
      [...pages, ...asked].map(async ({ host, path }) => {
        const { status, headers } = await service.edge(host, path);
        return { host, path, status, location: headers.location };
      }),
    );
  }

  async function firstEdgeAnswers() {
    for (;;) {
      try {
        return await edgeAnswers();
      } catch (error) {
        if ((error as { code?: string }).code !== 'ECONNREFUSED') throw error;
        await pause(10);
      }
    }
  }

  /** Creates pending work, and returns what clients remember. */
  async function leaveWork() {
    receiver.accepts = (path) => path === '/first' || (path === '/replayed' && receiver.idsAt(path).length < EARLY);
    const ids = await Promise.all(PATHS.map((path) => createWebhook(service.account, receiver.url(path))));
    handlers = Object.fromEntries(PATHS.map((path, index) => [path, ids[index]])) as typeof handlers;
    await sendMessage(service.account, [handlers['/later']], { send_at: new Date(Date.now() + 1_000 * WAIT_SECONDS).toISOString() });
    const steps = `${WAIT_SECONDS}:${handlers['/second']};${24 * WAIT_SECONDS}:${handlers['/third']}`;
    const [stepped] = await sendMessage(service.account, [handlers['/first']], { steps, until: 'acknowledged' });
    const [failing] = await sendMessage(service.account, [handlers['/failing']]);
    for (const delivery of [stepped, failing]) await deliveryWhen(service.account, delivery, ({ attempts }) => attempts === 1);
    await leaveReplay();
    const answered = await client().post(DOMAINS, { host: 'once.example.com' }).set('Idempotency-Key', 'once').expect(201);
    return {
      delivery: stepped,
      answered,
      list: await pageOf<Recorded>(service.account, `${DOMAINS}?results_per_page=10`),
      whole: await listOf<Recorded>(`${DOMAINS}?results_per_page=1000`),
      answers: await edgeAnswers(),
      events: await eventIds(),
    };
  }

  /** Leaves a replay half done: the deliveries that the receiver rejects await their next attempt. */
  async function leaveReplay(): Promise<void> {
    const { datetime } = (await listOf<{ datetime: string }>('/api/events?limit=1'))[0];
    for (let count = hosts.length; count < REPLAYED; count++) await createDomain();
    const path = `${HANDLERS}/${handlers['/replayed']}`;
    await client().post(`${path}/events`, { types: 'domain.created' }).expect(200);
    await client().post(`${path}/replay`, { from: datetime }).expect(200);
    const refused = () => receiver.refused.filter(({ path }) => path === '/replayed').length;
    await until(replay, (now) => refused() >= 8 && now!.sent === EARLY + refused());
    await until(pending, (deliveries) => deliveries.filter(({ attempts }) => attempts === 1).length === refused() + 1); // and the failing one
  }

  test('a client of the feed receives every event once, in order', async () => {
    for (let count = 0; count < 3; count++) await createDomain();
    const ids = await eventIds();
    expect(ids.slice(0, left.events.length)).toEqual(left.events);
    await until(() => seen.length >= ids.length || service.failure !== undefined);
    expect(service.failure).toBeUndefined();
    expect(seen.slice(0, ids.length)).toEqual(ids);
  });

  test('pending deliveries, the next step and the rest of the replay are sent once', async () => {
    await until(pending, (deliveries) => deliveries.every(({ handler_id }) => handler_id === handlers['/third']));
    expect(await until(replay, (now) => now === null)).toBeNull();
    const created = await eventIds('&types=domain.created');
    await until(() => receiver.idsAt('/replayed').length >= created.length);
    expect(receiver.idsAt('/replayed').sort()).toEqual(created.sort());
    for (const path of ['/first', '/second', '/later', '/failing'] as const) expect(receiver.idsAt(path)).toHaveLength(1);
    const refused = receiver.refused.map(({ id }) => id);
    expect(refused).toHaveLength(new Set(refused).size); // each one before the move
    expect(receiver.accepted.map(({ id }) => id)).toEqual(expect.arrayContaining(refused));
  });

  test('an acknowledgement link from before the move ends the steps', async () => {
    await until(() => receiver.idsAt('/second').length > 0);
    const [{ body }] = receiver.accepted.filter(({ path }) => path === '/first');
    const { acknowledge_url: link, message_id: id } = (JSON.parse(body) as { data: { acknowledge_url: string; message_id: number } }).data;
    await client().send('POST', new URL(link).pathname).type('form').send('').expect(200);
    expect((await client().get(`${MESSAGES}/${id}`)).body).toMatchObject({
      data: { acknowledged: { delivery_id: left.delivery }, deliveries: { pending: 0, delivered: 2, cancelled: 1 } },
    });
    expect(receiver.idsAt('/third')).toEqual([]);
  });

  test('a repeated Idempotency-Key returns the first response', async () => {
    const again = await client().post(DOMAINS, { host: 'once.example.com' }).set('Idempotency-Key', 'once').expect(201);
    expect([again.text, again.headers.location]).toEqual([left.answered.text, left.answered.headers.location]);
  });

  test('the link to the next page of a list still works', async () => {
    const { pathname, search } = new URL(left.list.links.next!);
    expect(await listOf<Recorded>(pathname + search)).toEqual(left.whole.slice(10, 20));
  });

  test('the edge serves the same hosts from its first response', () => {
    expect(first.map(({ status }) => status)).toEqual([302, 404, 302, 302, 404, 302, 200, 404, 200]);
    expect(first).toEqual(left.answers);
  });
});
