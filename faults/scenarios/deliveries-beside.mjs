import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/harness/statistics.mjs';
import { clearDeliveries, countDeliveries, createWebhooks, fillIn, untilFinished } from '../harness/deliveries.mjs';
import { startHelper } from '../harness/helper.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { tested, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'deliveries-beside';
const CONNECTIONS = 2;
const HANDLERS = 4;
const CONCURRENT_DELIVERIES = 32;
const SAMPLE_MILLISECONDS = 100;
const MAX_SLOWDOWN = 1.5;
const CANCEL_PENDING = "UPDATE deliveries SET status = 'cancelled', next_attempt = NULL WHERE status = 'pending' AND lease IS NULL";
/** Two accounts with four handlers each use all 32 slots. A fast receiver's backlog uses all CPU time, so it is only reported. */
const CASES = [
  { what: '32 deliveries in progress', path: '/slow/2500', pending: 5_000, isBinding: true },
  { what: 'a backlog for a fast receiver', path: '/fast/-', pending: 50_000, isBinding: false },
];

/** Latencies of lists and creates during deliveries, compared with the same process without. */
export async function run(context) {
  const rows = [];
  for (const database of context.either(['mariadb', 'sqlite'], ['mariadb'])) {
    for (const each of CASES) rows.push(...(await runCase(context, await context.stage(database), each)));
  }
  return rows;
}

async function runCase(context, stage, { what, path, pending, isBinding }) {
  const [rounds, seconds] = [context.either(5, 1), context.either(5, 2)];
  const where = `${what}, ${stage.name}`;
  const receiver = await startReceiver();
  const accounts = [await stage.account('visitors'), await stage.account('neighbour')];
  const writer = await stage.account('writers');
  await clearDeliveries(stage);
  const service = await stage.start(REACH_LOOPBACK);
  const { port } = service;
  const urls = Array.from({ length: HANDLERS }, (_, index) => receiver.url(`${path}/${index}`));
  const handlers = [];
  for (const account of accounts) handlers.push(await createWebhooks(port, account, urls));
  const ask = (mark, duration = seconds) =>
    startHelper('beside-process.mjs', { port, key: writer.key, connections: CONNECTIONS, seconds: duration, mark }).report;
  await ask(`${Date.now()}-warm`, 1);

  const before = [];
  const during = [];
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    before.push(await ask(`${Date.now()}-before`));
    for (const [index, account] of accounts.entries()) await fillIn(stage, account, handlers[index], pending / 2);
    await until(async () => (await receiver.arrivals()).length > 0, 'The first delivery');
    if (path.startsWith('/slow')) await until(async () => (await receiver.open()) >= CONCURRENT_DELIVERIES, 'The last place');
    const [figure, atWork] = await sampling(() => receiver.open(), ask(`${Date.now()}-during`));
    during.push(figure);
    least = Math.min(least, path.startsWith('/slow') ? atWork : await countDeliveries(stage, "status = 'pending'"));
    await stage.query(CANCEL_PENDING);
    await untilFinished(stage);
    await receiver.forget();
    context.logProgress(`${name}, ${where}: ${JSON.stringify({ before: before.at(-1), during: during.at(-1) })}`);
  }
  await service.end('SIGTERM');
  receiver.end();
  return [
    tested(`deliveries in progress (median) or left of the backlog, ${where}`, least),
    ...['list', 'create'].map((work) => compare(work)),
  ];

  function compare(work) {
    const [p99Before, p99During] = [before, during].map((figures) => median(figures.map((figure) => figure[work])));
    const figures = `${p99Before.toFixed(1)} → ${p99During.toFixed(1)} ms`;
    const row = timed(context, `p99 of a ${work} (${figures}), ${where}`, p99During / p99Before, MAX_SLOWDOWN, '×');
    return isBinding ? row : { ...row, isBinding };
  }
}

/** The result of `work`, and the median of the counts sampled during it. */
async function sampling(count, work) {
  let isOver = false;
  const result = work.finally(() => (isOver = true));
  const counts = [];
  for (; !isOver; await sleep(SAMPLE_MILLISECONDS)) counts.push(await count());
  return [await result, median(counts)];
}
