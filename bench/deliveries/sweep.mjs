import { setTimeout as sleep } from 'node:timers/promises';
import { createAccounts } from '../../faults/harness/accounts.mjs';
import { createWebhooks } from '../../faults/harness/deliveries.mjs';
import { startHelper } from '../../faults/harness/helper.mjs';
import { quantile } from '../../faults/harness/quantile.mjs';
import { REACH_LOOPBACK } from '../../faults/harness/receiver.mjs';

const BASELINE = { delay: 250, fanOut: 1, bytes: 200 };
/** Each varies one factor. A receiver that takes 10 s would time out: an attempt may not take longer. */
const PROFILES = [
  BASELINE,
  ...[0, 1_000, 9_000].map((delay) => ({ ...BASELINE, delay })),
  ...[10, 100].map((fanOut) => ({ ...BASELINE, fanOut })),
  ...[2_000, 4_000].map((bytes) => ({ ...BASELINE, bytes })),
];
const [ACCOUNTS, HANDLERS] = [4, 100];
const SLOTS = 256;
/** Utilization of the slots, by Little's law: with a higher one, jitter alone starts a queue that never drains. */
const UTILIZATION = 0.8;
/** Slots for handlers slower than a second: an eighth per account. */
const SLOW_SLOTS = (ACCOUNTS * SLOTS) / 8;
const MOST_PER_SECOND = 200;
const OVERHEAD_SECONDS = 0.02;
const WARM_UP_SECONDS = 3;
const DRAIN_MILLISECONDS = 30_000;

export const COLUMNS = [
  ...['database', 'processes', 'response_ms', 'fan_out', 'payload_bytes', 'messages_per_second', 'deliveries_per_second', 'slots_used'],
  ...['published', 'acknowledged', 'due', 'received', 'missing', 'twice', 'not_noted'],
  ...['lag', 'publish', 'delivery'].flatMap((name) => ['p50', 'p90', 'p99', 'max'].map((part) => `${name}_${part}_ms`)),
];

/** A row of COLUMNS per profile. A run is void if its counts don't balance. */
export async function sweep(stage, processes, seconds, say) {
  const accounts = await createAccounts(stage, ACCOUNTS);
  const rows = [];
  for (const profile of PROFILES) {
    const receiver = startHelper('../../bench/deliveries/receiver-process.mjs', { delay: profile.delay });
    const port = await receiver.report;
    const env = { ...REACH_LOOPBACK, DEMO: 'off', DELIVERY_CONCURRENCY: String(SLOTS), WORKERS: String(processes) };
    const service = await stage.start(env);
    for (const account of accounts) {
      await stage.query('UPDATE notification_handlers SET is_enabled = 0 WHERE account_id = ?', [account.id]);
      const urls = Array.from({ length: HANDLERS }, () => `http://127.0.0.1:${port}/hook`);
      account.handlers = await createWebhooks(service.port, account, urls);
    }
    const row = await run(stage, service, receiver, accounts, { ...profile, seconds });
    rows.push([stage.name, processes, ...row]);
    say(rows.at(-1).join(' '));
    await service.end('SIGTERM');
    receiver.end();
  }
  return rows;
}

async function run(stage, service, receiver, accounts, { delay, fanOut, bytes, seconds }) {
  const slots = delay >= 1_000 ? SLOW_SLOTS : SLOTS;
  const each = fanOut * (delay / 1_000 + OVERHEAD_SECONDS);
  const rate = Math.min(MOST_PER_SECOND / fanOut, (UTILIZATION * slots) / each);
  const count = Math.ceil((WARM_UP_SECONDS + seconds) * rate);
  const task = { port: service.port, accounts: accounts.map(({ key, handlers }) => ({ key, handlers })), rate, count, fanOut, bytes };
  const publisher = startHelper('../../bench/deliveries/publisher-process.mjs', task);
  const published = await publisher.report;
  publisher.end();
  const deadline = Date.now() + DRAIN_MILLISECONDS;
  const isDone = async () => (await receiver.ask('count')) >= count * fanOut && (await unfinished(stage)) === 0;
  while (!(await isDone()) && Date.now() < deadline) await sleep(100);

  const arrivals = await receiver.ask('arrivals');
  const scheduled = new Map(published.map(([id, time]) => [id, time]));
  const rows = await stage.query('SELECT id, message_id AS message, status FROM deliveries WHERE message_id >= ?', [
    Math.min(...scheduled.keys()),
  ]);
  const messages = new Map(rows.map(({ id, message }) => [Number(id), Number(message)]));
  const received = new Map();
  for (const [id, time] of arrivals) received.set(id, [...(received.get(id) ?? []), time]);
  const steady = published.slice(Math.ceil(WARM_UP_SECONDS * rate));
  const from = steady[0][1];
  const late = arrivals.map(([id, time]) => [scheduled.get(messages.get(id)), time]).filter(([due]) => due >= from);
  return [
    ...[delay, fanOut, bytes, round(rate), round(rate * fanOut), round((rate * each) / slots)],
    ...[count, published.filter(([id]) => id !== null).length, rows.length, received.size],
    ...[count * fanOut - received.size, [...received.values()].filter((times) => times.length > 1).length],
    rows.filter(({ status }) => status !== 'delivered').length,
    ...quantiles(steady.map(([, due, sent]) => sent - due)),
    ...quantiles(steady.map(([, due, , acknowledged]) => acknowledged - due)),
    ...quantiles(late.map(([due, time]) => time - due)),
  ];
}

async function unfinished(stage) {
  const [{ number }] = await stage.query("SELECT COUNT(*) AS number FROM deliveries WHERE status = 'pending'");
  return Number(number);
}

function quantiles(values) {
  return [0.5, 0.9, 0.99, 1].map((share) => round(quantile(values, share)));
}

function round(value) {
  return Math.round(value * 100) / 100;
}

/** Whether every message was acknowledged, and every delivery received once and recorded as delivered. */
export function isBalanced(row) {
  const [published, acknowledged, due, received, ...wrong] = row.slice(COLUMNS.indexOf('published'), COLUMNS.indexOf('lag_p50_ms'));
  return published === acknowledged && due === received && wrong.every((count) => count === 0);
}
