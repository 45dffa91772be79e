import { setTimeout as sleep } from 'node:timers/promises';
import { compareArrivals } from '../harness/arrivals.mjs';
import { clearDeliveries, createWebhooks, endLeases, untilFinished } from '../harness/deliveries.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { Senders } from '../harness/senders.mjs';

export const name = 'deliveries-killed';
const SENDERS = 8;
const HANDLERS = 40;
const PAUSE_MILLISECONDS = 60;
/** Time for a lease of 30 s, and then the backlog. */
const PATIENCE_MILLISECONDS = 180_000;
/** Interrupted attempts are retried at once when their lease ends. */
const WAITS = { DELIVERY_WAITS: '1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1' };

/** Kills the service repeatedly while it delivers, and restarts it. */
export async function run(context) {
  const rows = await Promise.all(['mariadb', 'sqlite'].map(async (database) => runOn(context, await context.stage(database))));
  return rows.flat();
}

async function runOn(context, stage) {
  const [times, noted] = [context.either(20, 3), context.either(2_000, 10_000)];
  const receiver = await startReceiver();
  const account = await stage.account('writers');
  await clearDeliveries(stage);
  const service = await stage.start({ ...REACH_LOOPBACK, ...WAITS });
  const urls = Array.from({ length: HANDLERS }, (_, index) => `/mixed/3000/${index}`);
  const handlers = await createWebhooks(
    service.port,
    account,
    urls.map((url) => receiver.url(url)),
  );
  const senders = new Senders([service.port], account.key, { count: SENDERS, handlers, pause: PAUSE_MILLISECONDS });
  const kills = [];
  for (let time = 1; time <= times; time++) {
    await sleep(500 + Math.random() * 1_000);
    const from = Date.now();
    await service.end('SIGKILL');
    kills.push({ from, to: Date.now() });
    if (time === times && context.isShort) await endLeases(stage); // instead of waiting
    await service.start();
  }
  await senders.end();
  const begun = performance.now();
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  context.logProgress(`${name}, ${stage.name}: finished ${Math.round((performance.now() - begun) / 1_000)} s after the last kill`);
  const arrivals = await receiver.arrivals();
  await service.end('SIGTERM');
  receiver.end();
  const paths = new Map(handlers.map((handler, index) => [handler, urls[index]]));
  return compareArrivals({ ...senders, arrivals, kills, noted, paths, where: `${stage.name}, killed ${times} times` });
}
