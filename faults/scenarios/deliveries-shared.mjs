import { freePort } from '../../test/support/servers/free-port.cjs';
import { compareArrivals } from '../harness/arrivals.mjs';
import { Client } from '../harness/client.mjs';
import { clearDeliveries, createWebhooks, MESSAGES, untilFinished } from '../harness/deliveries.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { must } from '../harness/table.mjs';

export const name = 'deliveries-shared';
const PROCESSES = 4;
const HANDLERS = 100;
const PATIENCE_MILLISECONDS = 300_000;

/** Four processes share one MariaDB's deliveries, without a fault. */
export async function run(context) {
  const messages = context.either(200, 20);
  const stage = await context.stage('mariadb');
  const receiver = await startReceiver();
  const account = await stage.account('writers');
  await clearDeliveries(stage);
  const services = await Promise.all(Array.from({ length: PROCESSES }, () => startMeasured(stage)));
  const [{ port }] = services;
  const urls = Array.from({ length: HANDLERS }, (_, index) => `/fast/-/${index}`);
  const handlers = await createWebhooks(
    port,
    account,
    urls.map((url) => receiver.url(url)),
  );
  const begun = performance.now();
  const acknowledged = await post(services, account, handlers, messages);
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  const seconds = (performance.now() - begun) / 1_000;
  context.logProgress(`${name}: ${Math.round((messages * HANDLERS) / seconds)} deliveries a second`);
  const sent = await Promise.all(services.map(countSent));
  context.logProgress(`${name}: by process: ${sent.join(', ')}`);
  const arrivals = await receiver.arrivals();
  for (const service of services) await service.end('SIGTERM');
  receiver.end();
  const paths = new Map(handlers.map((handler, index) => [handler, urls[index]]));
  const working = sent.filter((count) => count > 0).length;
  return [
    must('processes that sent', String(working), String(PROCESSES), working === PROCESSES),
    ...compareArrivals({ acknowledged, arrivals, paths, where: 'four processes' }),
  ];
}

async function startMeasured(stage) {
  const metricsPort = await freePort();
  const service = await stage.start({ ...REACH_LOOPBACK, METRICS_PORT: String(metricsPort) });
  return Object.assign(service, { metricsPort });
}

/** The handlers of each message, by its text. */
async function post(services, { key }, handlers, count) {
  const clients = services.map(({ port }) => new Client(port, key));
  const acknowledged = new Map();
  for (let number = 0; number < count; number++) {
    const text = `message ${number}`;
    const answer = await clients[number % clients.length].send('POST', MESSAGES, { form: { text, handler_ids: handlers.join(',') } });
    if (answer.status !== 201) throw new Error(`Sending a message failed with ${answer.status}: ${answer.text}`);
    acknowledged.set(text, handlers);
  }
  for (const client of clients) client.close();
  return acknowledged;
}

async function countSent({ metricsPort }) {
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text());
  const [, count = 0] = /^frontdesk_deliveries_total\{type="webhook",outcome="delivered"[^}]*\} (\d+)/m.exec(metrics) ?? [];
  return Number(count);
}
