import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellations } from '../harness/cancellations.mjs';
import { clearDeliveries, createWebhooks, endLeases, untilFinished } from '../harness/deliveries.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';

export const name = 'messages-cancelled';
const SENDERS = 8;
const HANDLERS = 8;
const PATIENCE_MILLISECONDS = 180_000;
const WAITS = { DELIVERY_WAITS: '1,1,1,1,1,1,1,1,1,1' };

/** Kills processes of the service one after another while messages are sent and cancelled, and while senders share `dedup_key`s. */
export async function run(context) {
  const rows = await runOn(context, await context.stage('mariadb'), 4);
  return [...rows, ...(await runOn(context, await context.stage('sqlite'), 1))];
}

async function runOn(context, stage, processes) {
  const [kills, least] = [context.either(20, 4), context.either(10_000, 200)];
  const receiver = await startReceiver();
  const account = await stage.account('writers');
  await clearDeliveries(stage);
  await stage.query('DELETE FROM message_keys');
  const services = [];
  for (let started = 0; started < processes; started++) services.push(await stage.start({ ...REACH_LOOPBACK, ...WAITS }));
  const ports = services.map(({ port }) => port);
  const urls = Array.from({ length: HANDLERS }, (_, index) => receiver.url(`/fast/-/${index}`));
  const handlers = await createWebhooks(ports[0], account, urls);
  const cancellations = new Cancellations(ports, account.key, { count: SENDERS, handlers });
  for (let kill = 0; kill < kills || cancellations.count < least; kill++) {
    await sleep(500 + Math.random() * 1_000);
    if (kill < kills) await restart(services[kill % processes]);
  }
  await cancellations.end();
  if (context.isShort) await endAllLeases(stage, services); // instead of waiting
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  const where = `${stage.name}, ${processes === 1 ? 'one process' : `${processes} processes`}, ${kills} kills`;
  const rows = await cancellations.compare(await receiver.arrivals(), stage.query, where);
  for (const service of services) await service.end('SIGTERM');
  receiver.end();
  return rows;
}

async function restart(service) {
  await service.end('SIGKILL');
  await service.start();
}

async function endAllLeases(stage, services) {
  for (const service of services) await service.end('SIGKILL');
  await endLeases(stage);
  for (const service of services) await service.start();
}
