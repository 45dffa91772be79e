import { median } from '../../bench/harness/statistics.mjs';
import { Client, DOMAINS } from '../harness/client.mjs';
import { clearDeliveries, createWebhooks, MESSAGES } from '../harness/deliveries.mjs';
import { load } from '../harness/load.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { none, tested, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'deliveries-interim';
const HANDLERS = 8;
const CONNECTIONS = 4;
const MAX_RATIO = 2;
/** One attempt per second per handler, for longer than the measurement. */
const WAITS = { DELIVERY_WAITS: Array(20).fill(1).join() };

/** One account reads while another's webhooks send endless interim responses. */
export async function run(context) {
  const rows = [];
  for (const database of context.either(['mariadb', 'sqlite'], ['mariadb'])) {
    rows.push(...(await runOn(context, await context.stage(database))));
  }
  return rows;
}

async function runOn(context, stage) {
  const [rounds, seconds] = [context.either(5, 2), context.either(3, 1)];
  const [loud, quiet] = [await stage.account('visitors'), await stage.account('neighbour')];
  await clearDeliveries(stage);
  const receiver = await startReceiver();
  const service = await stage.start({ ...REACH_LOOPBACK, ...WAITS });
  const ask = () => load(service.port, quiet.key, { connections: CONNECTIONS, seconds, path: `${DOMAINS}?results_per_page=25` });
  const measure = async () => {
    const p50s = [];
    for (let round = 0; round < rounds; round++) p50s.push((await ask()).p50);
    return median(p50s);
  };
  await ask(); // warm-up
  const before = await measure();
  await send(service.port, loud, await createWebhooks(service.port, loud, Array(HANDLERS).fill(receiver.url('/interim'))));
  await until(async () => (await receiver.arrivals()).length >= HANDLERS, 'The first attempt of each handler');
  const during = await measure();
  await service.end('SIGTERM');
  receiver.end();
  const [{ attempts, others, longest }] = await stage.query(
    "SELECT COUNT(*) AS attempts, COALESCE(SUM(outcome <> 'server_error'), 0) AS others, MAX(duration_ms) AS longest FROM delivery_attempts",
  );
  context.logProgress(`${name}, ${stage.name}: ${attempts} attempts, the longest ${longest} ms`);
  return [
    tested(`attempts that ended, ${stage.name}`, Number(attempts)),
    none(`attempts that did not end as server_error, ${stage.name}`, Number(others)),
    timed(context, `the other's p50 (${before.toFixed(1)} → ${during.toFixed(1)} ms), ${stage.name}`, during / before, MAX_RATIO, '×'),
  ];
}

async function send(port, { key }, handlers) {
  const client = new Client(port, key);
  const { status, text } = await client.send('POST', MESSAGES, { form: { text: 'interim', handler_ids: handlers.join() } });
  if (status !== 201) throw new Error(`Sending a message failed with ${status}: ${text}`);
  client.close();
}
