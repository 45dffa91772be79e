import { setTimeout as sleep } from 'node:timers/promises';
import { compareArrivals } from '../harness/arrivals.mjs';
import { clearDeliveries, createWebhooks, untilFinished } from '../harness/deliveries.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { Senders } from '../harness/senders.mjs';

export const name = 'deliveries-database';
const SENDERS = 8;
const HANDLERS = 40;
const PAUSE_MILLISECONDS = 60;
const PATIENCE_MILLISECONDS = 120_000;

/** Kills and restarts MariaDB, then freezes it, while the service delivers. The service keeps running, so nothing may be sent twice. */
export async function run(context) {
  const [times, seconds] = [context.either(20, 3), context.either(10, 3)];
  const mariadb = await context.mariadb();
  const kill = async () => {
    for (let time = 0; time < times; time++) {
      await sleep(300 + Math.random() * 700);
      await mariadb.kill();
      await sleep(Math.random() * 500);
      await mariadb.start();
    }
  };
  const freeze = async () => {
    await sleep(1_500);
    await mariadb.freeze();
    await sleep(seconds * 1_000).finally(() => mariadb.thaw());
  };
  if (context.isShort) {
    const both = () => kill().then(freeze);
    return deliverThrough(context, both, `MariaDB killed ${times} times, frozen for ${seconds} s`);
  }
  return [
    ...(await deliverThrough(context, kill, `MariaDB killed ${times} times`)),
    ...(await deliverThrough(context, freeze, `MariaDB frozen for ${seconds} s`)),
  ];
}

async function deliverThrough(context, fault, where) {
  const stage = await context.stage('mariadb');
  const receiver = await startReceiver();
  const account = await stage.account('writers');
  await clearDeliveries(stage);
  const service = await stage.start({ ...REACH_LOOPBACK, DELIVERY_WAITS: '1' });
  const urls = Array.from({ length: HANDLERS }, (_, index) => `/mixed/2000/${index}`);
  const handlers = await createWebhooks(
    service.port,
    account,
    urls.map((url) => receiver.url(url)),
  );
  const senders = new Senders([service.port], account.key, { count: SENDERS, handlers, pause: PAUSE_MILLISECONDS });
  await fault();
  await sleep(500);
  await senders.end();
  const begun = performance.now();
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  context.logProgress(`${name}, ${where}: finished ${Math.round((performance.now() - begun) / 1_000)} s later`);
  const arrivals = await receiver.arrivals();
  await service.end('SIGTERM');
  receiver.end();
  const paths = new Map(handlers.map((handler, index) => [handler, urls[index]]));
  return compareArrivals({ ...senders, arrivals, paths, where });
}
