import { median } from '../../bench/harness/statistics.mjs';
import { createWebhooks, fillIn } from '../harness/deliveries.mjs';
import { startHelper } from '../harness/helper.mjs';
import { tested, timed } from '../harness/table.mjs';

export const name = 'deliveries-backlog';
const HANDLERS = 40;
const CYCLES = 5;
const ROUNDS = 5;
const MAX_SLOWDOWN = 2;

/** Claims through the service's queue, alternately from a small and a large table. */
export async function run(context) {
  const rows = [];
  for (const database of context.either(['mariadb', 'sqlite'], ['mariadb'])) rows.push(...(await runOn(context, database)));
  return rows;
}

async function runOn(context, database) {
  const large = context.either({ finished: 1_000_000, pending: 100_000 }, { finished: 20_000, pending: 5_000 });
  const [few, many] = [await startQueue(context, database, { finished: 0, pending: 1_000 }), await startQueue(context, database, large)];
  for (const { ask } of [few, many]) await ask('warm up');
  const figures = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { ask }] of [few, many].entries()) figures[index].push(...(await ask('cycles')));
  }
  for (const { end } of [few, many]) end();
  const [before, after] = figures.map((cycles) => median(cycles.map(({ milliseconds }) => milliseconds)));
  const [perSecond, perSecondLarge] = figures.map(claimsPerSecond);
  context.logProgress(`${name}, ${database}: ${perSecond} claims a second from the small table, ${perSecondLarge} from the large one`);
  return [
    tested(`claims, ${database}`, Math.min(...figures.map((cycles) => Math.min(...cycles.map(({ claims }) => claims))))),
    tested(`claims a second from the large table, one process, ${database}`, perSecondLarge),
    timed(
      context,
      `a cycle with ${sizeOf(large)} (${before.toFixed(1)} → ${after.toFixed(1)} ms), ${database}`,
      after / before,
      MAX_SLOWDOWN,
      '×',
    ),
  ];
}

async function startQueue(context, database, { finished, pending }) {
  const stage = await context.freshStage(database);
  const service = await stage.start({ DELIVERY_CONCURRENCY: '0' });
  const account = await stage.account('writers');
  const urls = Array.from({ length: HANDLERS }, (_, index) => `https://hooks.example.com/${index}`);
  const handlers = await createWebhooks(service.port, account, urls);
  if (finished > 0) await fillIn(stage, account, handlers, finished, 'delivered');
  await fillIn(stage, account, handlers, pending, 'pending', 5);
  await service.end('SIGTERM');
  const helper = startHelper('claims-process.mjs', { env: stage.env, cycles: CYCLES });
  await helper.report;
  return helper;
}

function claimsPerSecond(cycles) {
  const claims = cycles.reduce((sum, cycle) => sum + cycle.claims, 0);
  const milliseconds = cycles.reduce((sum, cycle) => sum + cycle.milliseconds, 0);
  return Math.round((claims * 1_000) / milliseconds);
}

function sizeOf({ finished, pending }) {
  return `${finished.toLocaleString('en-US')} finished and ${pending.toLocaleString('en-US')} pending, instead of 1,000`;
}
