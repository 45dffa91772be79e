import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from '../harness/client.mjs';
import { clearDeliveries, createWebhooks, endLeases, untilFinished } from '../harness/deliveries.mjs';
import { insist } from '../harness/insist.mjs';
import { quantile } from '../harness/quantile.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { none, tested, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'events-replayed';
const PATIENCE_MILLISECONDS = 1_800_000;
const NEW_PAUSE_MILLISECONDS = 100;
const ROWS = 500;
const WAITS = { DELIVERY_WAITS: '1,1,1,1,1,1,1,1,1,1' };
const FIND_UNDISPATCHED = `SELECT 1 AS one FROM events JOIN event_cursors cursors ON cursors.account_id = events.account_id
  WHERE events.number IS NULL OR events.number > cursors.number OR (events.number = cursors.number AND events.id >= cursors.event_id) LIMIT 1`;

/** Replays the events that a handler missed while disabled, along with new events, while processes are killed one after another. */
export async function run(context) {
  const rows = await runOn(context, await context.stage('mariadb'), 4);
  return context.isShort ? rows : [...rows, ...(await runOn(context, await context.stage('sqlite'), 1))];
}

async function runOn(context, stage, processes) {
  const [kills, missed, seconds] = [context.either(20, 3), context.either(100_000, 1_500), context.either(30, 3)];
  const receiver = await startReceiver();
  const account = await stage.account('events');
  await clearDeliveries(stage);
  const services = [];
  for (let started = 0; started < processes; started++) services.push(await stage.start({ ...REACH_LOOPBACK, ...WAITS }));
  const ports = services.map(({ port }) => port);
  const client = new Client(ports[0], account.key);
  const [handler] = await createWebhooks(ports[0], account, [receiver.url('/fast/-/replayed')]);
  const handlerPath = `${HANDLERS}/${handler}`;
  await insist(client, `${handlerPath}/events`, { types: 'domain.*' });

  const alone = new Newcomers(ports, account.key, 'alone');
  await sleep(seconds * 1_000);
  await alone.end();
  await untilDispatched(stage);
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  await insist(client, handlerPath, { is_enabled: '0' });
  const from = await cursorOf(client);
  await logUpdates(stage, account, alone.ids, missed);
  const end = await cursorOf(client);
  await untilDispatched(stage); // the dispatcher skips events without a subscription
  await insist(client, handlerPath, { is_enabled: '1' });
  const began = performance.now();
  const { status, text } = await client.send('POST', `${handlerPath}/replay`, { form: { from, until: end } });
  if (status !== 200) throw new Error(`Starting a replay failed with ${status}: ${text}`);

  const beside = new Newcomers(ports, account.key, 'beside');
  await sleep(seconds * 1_000);
  await beside.end();
  const killed = new Newcomers(ports, account.key, 'killed');
  const isOver = async () => (await stage.query('SELECT handler_id FROM handler_replays')).length === 0;
  let killedBefore = 0;
  for (let kill = 0; kill < kills; kill++) {
    await sleep(1_000 + Math.random() * context.either(15_000, 1_000));
    await services[kill % processes].end('SIGKILL');
    if (!(await isOver())) killedBefore++;
    await services[kill % processes].start();
  }
  await killed.end();
  await until(isOver, 'The end of the replay', PATIENCE_MILLISECONDS);
  const took = (performance.now() - began) / 1_000;
  await untilDispatched(stage);
  if (context.isShort) {
    for (const service of services) await service.end('SIGKILL');
    await endLeases(stage); // instead of waiting
    for (const service of services) await service.start();
  }
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  const where = `${stage.name}, ${processes === 1 ? 'one process' : `${processes} processes`}, ${kills} kills`;
  context.logProgress(`${name}, ${where}: ${missed} events in ${Math.round(took)} s`);
  const rows = await compare(context, stage, {
    account,
    handler,
    missed,
    arrivals: await receiver.arrivals(),
    alone,
    beside,
    killed,
    where,
  });
  for (const service of services) await service.end('SIGTERM');
  client.close();
  receiver.end();
  return [...rows, tested(`kills during the replay, ${where}`, killedBefore)];
}

/** Creates domains, which the handler is notified of, one after another, and records when each was acknowledged. */
class Newcomers {
  created = new Map();
  #isOver = false;

  constructor(ports, key, label) {
    this.running = this.#run(ports, key, label);
  }

  get ids() {
    return [...this.created.keys()];
  }

  async end() {
    this.#isOver = true;
    await this.running;
  }

  async #run(ports, key, label) {
    const clients = ports.map((port) => new Client(port, key));
    for (let number = 0; !this.#isOver; number++) {
      const { data } = await insist(clients[number % clients.length], DOMAINS, { host: `${label}-${number}.example.com` });
      this.created.set(data.id, Date.now());
      await sleep(NEW_PAUSE_MILLISECONDS);
    }
    for (const client of clients) client.close();
  }
}

function untilDispatched(stage) {
  return until(async () => (await stage.query(FIND_UNDISPATCHED)).length === 0, 'The last message of an event', PATIENCE_MILLISECONDS);
}

async function cursorOf(client) {
  return JSON.parse((await client.send('GET', '/api/events?after=latest')).text).meta.next;
}

/** Logs updates of these domains as the API does. */
async function logUpdates(stage, { id: account }, domains, count) {
  const datetime = new Date().toISOString().slice(0, 19).replace('T', ' ');
  for (let logged = 0; logged < count; logged += ROWS) {
    const values = Array.from({ length: Math.min(ROWS, count - logged) }, (_, index) => domains[(logged + index) % domains.length]);
    const row = `('${datetime}', ${account}, 'update', 'domain', ?, '{"changed":["custom_index_url"]}')`;
    const insert = 'INSERT INTO events (datetime, account_id, action, record, record_id, data) VALUES';
    await stage.query(`${insert} ${values.map(() => row).join(', ')}`, values);
  }
}

/** Table rows: messages and arrivals compared with the log, and how long new events took. */
async function compare(context, stage, { account, handler, missed, arrivals, alone, beside, killed, where }) {
  const logged = await stage.query(
    "SELECT id, action, record_id FROM events WHERE account_id = ? AND record = 'domain' AND action IN ('create', 'update')",
    [account.id],
  );
  const made = await stage.query('SELECT event_id FROM deliveries WHERE handler_id = ?', [handler]);
  const idOf = (name) => Number(name.split('_')[2]);
  const counts = new Map();
  for (const { event_id } of made) counts.set(idOf(event_id), (counts.get(idOf(event_id)) ?? 0) + 1);
  const arrived = new Map();
  for (const { id, arrived: time } of arrivals) if (!arrived.has(idOf(id))) arrived.set(idOf(id), time);
  const replayed = logged.filter(({ action }) => action === 'update');
  const latencies = ({ created }) =>
    logged
      .filter(({ action, record_id }) => action === 'create' && created.has(Number(record_id)))
      .map(({ id, record_id }) => (arrived.get(Number(id)) ?? Infinity) - created.get(Number(record_id)));
  const [without, during] = [alone, beside].map((newcomers) => quantile(latencies(newcomers), 0.99));
  return [
    tested(`events missed and sent again, ${where}`, replayed.length === missed ? missed : 0),
    none(`events without a message, ${where}`, logged.filter(({ id }) => !counts.has(Number(id))).length),
    none(`messages created twice, ${where}`, made.length - counts.size),
    none(`events that never arrived, ${where}`, logged.filter(({ id }) => !arrived.has(Number(id))).length),
    tested(`new events beside it, ${where}`, beside.created.size + killed.created.size),
    timed(context, `new events’ p99 beside it (${Math.round(without)} ms without), ${where}`, during, Math.max(2_000, 1.5 * without), 'ms'),
  ];
}
