import { setTimeout as sleep } from 'node:timers/promises';
import { compareArrivals } from '../harness/arrivals.mjs';
import { clearDeliveries, createWebhooks, endLeases, untilFinished } from '../harness/deliveries.mjs';
import { Escalations } from '../harness/escalations.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';

export const name = 'messages-in-steps';
const SENDERS = 8;
const PATIENCE_MILLISECONDS = 240_000;
/** An attempt is recorded within this time after its response. */
const NOTED_MILLISECONDS = 10_000;
const WAITS = { DELIVERY_WAITS: '1,1,1,1,1,1,1,1,1,1' };

/** Kills processes of the service one after another while messages in steps are sent, acknowledged and delivered. */
export async function run(context) {
  const rows = await runOn(context, await context.stage('mariadb'), 4);
  return context.isShort ? rows : [...rows, ...(await runOn(context, await context.stage('sqlite'), 1))];
}

async function runOn(context, stage, processes) {
  const [kills, least] = [context.either(20, 3), context.either(10_000, 300)];
  const receiver = await startReceiver();
  const account = await stage.account('writers');
  await clearDeliveries(stage);
  const services = [];
  for (let started = 0; started < processes; started++) services.push(await stage.start({ ...REACH_LOOPBACK, ...WAITS }));
  const ports = services.map(({ port }) => port);
  const urls = ['/fast/-/first', '/fast/-/second', '/fast/-/third', '/gone/-/gone'];
  const handlers = await createWebhooks(
    ports[0],
    account,
    urls.map((url) => receiver.url(url)),
  );
  const escalations = new Escalations(ports, account.key, { count: SENDERS, handlers });
  const times = [];
  for (let kill = 0; kill < kills || escalations.count < least; kill++) {
    await sleep(1_000 + Math.random() * 2_000);
    if (kill < kills) times.push(await restart(services[kill % processes]));
  }
  await escalations.end();
  if (context.isShort) await endAllLeases(stage, services, times); // instead of waiting
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  const where = `${stage.name}, ${processes === 1 ? 'one process' : `${processes} processes`}, ${kills} kills`;
  const arrivals = await receiver.arrivals();
  const paths = new Map(handlers.map((handler, index) => [handler, urls[index]]));
  const rows = await escalations.compare(arrivals, stage.query, where);
  for (const service of services) await service.end('SIGTERM');
  receiver.end();
  const ledger = { acknowledged: escalations.expected, arrivals, kills: times, noted: NOTED_MILLISECONDS, paths, where };
  // A kill may interrupt no attempt: steps are far apart.
  return [...rows, ...compareArrivals(ledger).filter(({ what }) => !what.startsWith('arrivals repeated'))];
}

async function restart(service) {
  const from = Date.now();
  await service.end('SIGKILL');
  const to = Date.now();
  await service.start();
  return { from, to };
}

async function endAllLeases(stage, services, times) {
  const from = Date.now();
  for (const service of services) await service.end('SIGKILL');
  times.push({ from, to: Date.now() });
  await endLeases(stage);
  for (const service of services) await service.start();
}
