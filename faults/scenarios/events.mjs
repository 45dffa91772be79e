import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS as HANDLERS_PATH } from '../harness/client.mjs';
import { createWebhooks, endLeases, untilFinished } from '../harness/deliveries.mjs';
import { compareFeeds } from '../harness/event-comparison.mjs';
import { EventWriters } from '../harness/event-writers.mjs';
import { FeedReaders } from '../harness/feed-readers.mjs';
import { HeldTransactions } from '../harness/held-transactions.mjs';
import { serveNames } from '../harness/name-server.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { none, tested } from '../harness/table.mjs';
import { secondsUntilWriting, until } from '../harness/waiting.mjs';

export const name = 'events';
const [READERS, WRITERS, HELD, HANDLERS] = [3, 8, 2, 8];
const PROCESSES = { sqlite: 1, mariadb: 4 };
const PAUSE_MILLISECONDS = 50;
const CHECK_MILLISECONDS = 300;
const PATIENCE_MILLISECONDS = 180_000;
/** Interval between the DNS checks of the domains that no operator verifies. */
const CHECK_SPREAD_MILLISECONDS = 300;
/** Interrupted attempts are retried at once when their lease ends. */
const WAITS = { DELIVERY_WAITS: '1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1' };

const FIND_UNDISPATCHED = `SELECT 1 AS one FROM events LEFT JOIN event_cursors cursors ON cursors.account_id = events.account_id
  WHERE events.number IS NULL OR events.number > cursors.number OR (events.number = cursors.number AND events.id >= cursors.event_id) LIMIT 1`;

/** Three readers and a handler follow the feed during all kinds of writes, while processes and databases are killed and frozen. */
export async function run(context) {
  const stages = [await context.freshStage('mariadb'), await context.freshStage('sqlite')];
  const rows = await Promise.all(stages.map((stage) => runOn(context, stage)));
  return rows.flat();
}

async function runOn(context, stage) {
  const database = stage.name;
  const [times, frozenMilliseconds, heldMilliseconds] = [context.either(20, 4), context.either(2_000, 1_000), context.either(2_000, 1_000)];
  const account = await stage.account('events');
  const receiver = await startReceiver();
  const answers = new Map();
  const names = await serveNames((asked) => sleep(CHECK_MILLISECONDS, answers.get(asked) ?? 'NXDOMAIN'));
  const env = { ...REACH_LOOPBACK, ...WAITS, DOMAIN_CHECKS: 'on', DNS_SERVERS: names.address };
  const services = await Promise.all(Array.from({ length: PROCESSES[database] }, () => stage.start(env)));
  const ports = services.map(({ port }) => port);
  const urls = Array.from({ length: HANDLERS }, (_, index) => receiver.url(`/mixed/1000/${index}`));
  const handlers = await createWebhooks(ports[0], account, urls);
  const listener = await createListener(ports[0], account, receiver.url('/fast/0/events'));
  const held = await createDomains(ports[0], account, 'held', HELD);
  const operated = await createDomains(ports[0], account, 'operated', context.either(40, 8));
  const checked = await createDomains(ports[0], account, 'checked', context.either(100, 30));
  const client = new Client(ports[0], account.key);
  for (const [index, id] of checked.entries()) {
    const { records } = JSON.parse((await client.send('GET', `${DOMAINS}/${id}/verification`)).text).data;
    answers.set(records[0].name, [records[0].value]);
    await stage.query('UPDATE domain_verifications SET due = ? WHERE domain_id = ?', [
      Date.now() + 1_000 + CHECK_SPREAD_MILLISECONDS * index,
      id,
    ]);
  }
  client.close();

  const readers = new FeedReaders(ports, account.key, READERS);
  const writers = new EventWriters(ports, account.key, { count: WRITERS, pause: PAUSE_MILLISECONDS, handlers });
  const holders = new HeldTransactions(stage, account, held, heldMilliseconds);
  const operator = operate(stage, operated);
  for (let time = 0; time < times; time++) {
    await sleep(500 + Math.random() * 1_000);
    await strike(context, { stage, services, time, frozenMilliseconds });
  }
  for (const port of ports) await secondsUntilWriting(port, account.key);
  await Promise.all([writers.end(), holders.end(), operator.end()]);
  await until(async () => (await findVerified(stage, account, checked)).length === checked.length, 'The last check', PATIENCE_MILLISECONDS);
  await until(async () => (await stage.query(FIND_UNDISPATCHED)).length === 0, 'The last message of an event', PATIENCE_MILLISECONDS);
  if (context.isShort) await endLeases(stage); // instead of waiting
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  await readers.end();

  const acknowledged = [
    ...writers.acknowledged,
    ...holders.acknowledged,
    ...operator.acknowledged,
    ...(await findEnded(stage, account, checked)),
  ];
  const outcomes = [...readers.answers].map(([outcome, count]) => `${outcome} × ${count}`).join(', ');
  context.logProgress(`${name}, ${database}: the readers were answered ${outcomes}`);
  const where = `${database}, ${times} faults`;
  const rows = await compareFeeds({ stage, account, lists: readers.lists, acknowledged, where });
  rows.push(...(await compareMessages(stage, { listener, events: readers.lists[0], arrivals: await receiver.arrivals(), where })));
  for (const service of services) await service.end('SIGTERM');
  receiver.end();
  names.end();
  return rows;
}

/** Alternately kills or freezes a process of the service or the database. */
async function strike(context, { stage, services, time, frozenMilliseconds }) {
  const service = services[Math.floor(time / 2) % services.length];
  const mariadb = stage.name === 'mariadb' ? await context.mariadb() : undefined;
  const killService = async () => {
    await service.end('SIGKILL');
    await service.start();
  };
  const freezeService = async () => {
    service.signal('SIGSTOP');
    await sleep(frozenMilliseconds);
    service.signal('SIGCONT');
  };
  const killDatabase = async () => {
    await mariadb.kill();
    await mariadb.start();
  };
  const freezeDatabase = async () => {
    await mariadb.freeze();
    await sleep(frozenMilliseconds);
    mariadb.thaw();
  };
  const strikes = mariadb ? [killService, killDatabase, freezeService, freezeDatabase] : [killService, freezeService];
  await strikes[time % strikes.length]();
}

/** As an operator, verifies each domain once and unverifies it again. */
function operate(stage, domains) {
  const acknowledged = [];
  let isOver = false;
  const run = async () => {
    for (const id of domains) {
      if (isOver) return;
      for (const action of ['verify', 'unverify']) {
        const isDone = await stage.frontdesk('domains', action, String(id)).then(
          () => true,
          () => false,
        );
        if (!isDone) break;
        acknowledged.push({ type: `domain.${action === 'verify' ? 'verified' : 'unverified'}`, id });
      }
    }
  };
  const running = run();
  return {
    acknowledged,
    end: () => {
      isOver = true;
      return running;
    },
  };
}

/** Checks and deliveries of the services, by result. */
async function findEnded(stage, account, checked) {
  const deliveries = await stage.query("SELECT id FROM deliveries WHERE account_id = ? AND status = 'delivered' AND event_id IS NULL", [
    account.id,
  ]);
  return [
    ...(await findVerified(stage, account, checked)).map((id) => ({ type: 'domain.verified', id })),
    ...deliveries.map(({ id }) => ({ type: 'delivery.delivered', id })),
  ];
}

async function findVerified(stage, account, domains) {
  const query = "SELECT domain_id AS id FROM domain_verifications WHERE account_id = ? AND status = 'verified'";
  return (await stage.query(query, [account.id])).map(({ id }) => Number(id)).filter((id) => domains.includes(id));
}

/** Creates a handler that is notified of all domain events. */
async function createListener(port, account, url) {
  const [id] = await createWebhooks(port, account, [url]);
  const client = new Client(port, account.key);
  const { status, text } = await client.send('POST', `${HANDLERS_PATH}/${id}/events`, { form: { types: 'domain.*' } });
  if (status !== 200) throw new Error(`Setting event types failed with ${status}: ${text}`);
  client.close();
  return id;
}

/** Table rows: the handler's notifications compared with the feed. */
async function compareMessages(stage, { listener, events, arrivals, where }) {
  const ids = events.filter(({ type }) => type.startsWith('domain.')).map(({ id }) => id);
  const rows = await stage.query('SELECT event_id FROM deliveries WHERE handler_id = ? AND event_id IS NOT NULL', [listener]);
  const notified = rows.map(({ event_id }) => event_id);
  const [made, arrived] = [new Set(notified), new Set(arrivals.map(({ id }) => id))];
  return [
    tested(`messages of events, ${where}`, notified.length),
    none(`events without a message, ${where}`, ids.filter((id) => !made.has(id)).length),
    none(`messages without an event, or created twice, ${where}`, notified.length - ids.filter((id) => made.has(id)).length),
    none(`events that never arrived, ${where}`, ids.filter((id) => !arrived.has(id)).length),
  ];
}

/** Creates domains, each with its own registrable domain, since checks per registrable domain are limited. */
async function createDomains(port, { key }, label, count) {
  const client = new Client(port, key);
  const ids = [];
  for (let index = 0; index < count; index++) {
    const { status, text } = await client.send('POST', DOMAINS, { form: { host: `www.${label}-${index}.example` } });
    if (status !== 201) throw new Error(`Creating a domain failed with ${status}: ${text}`);
    ids.push(JSON.parse(text).data.id);
  }
  client.close();
  return ids;
}
