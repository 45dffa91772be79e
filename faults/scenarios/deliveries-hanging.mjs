import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../harness/client.mjs';
import { clearDeliveries, countDeliveries, createWebhooks, fillIn, MESSAGES } from '../harness/deliveries.mjs';
import { quantile } from '../harness/quantile.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { must, none, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'deliveries-hanging';
const PAUSE_MILLISECONDS = 200;
const ARRIVAL_SECONDS = 1;
/** The service looks for what others have added every second. */
const NOTICE_MILLISECONDS = 1_000;
/** `pending` in the full and in the short run. */
const CASES = [
  { what: 'a receiver that hangs', path: '/hang', handlers: 1, pending: [10_000, 1_000] },
  { what: 'twenty handlers that hang', path: '/hang', handlers: 20, pending: [10_000, 1_000] },
  { what: 'a backlog of one account', path: '/fast', handlers: 10, pending: [100_000, 30_000] },
];

/** One account's deliveries take all they can; another account's next message arrives on time. */
export async function run(context) {
  const rows = [];
  for (const database of context.either(['mariadb', 'sqlite'], ['mariadb'])) {
    for (const each of CASES) rows.push(...(await runCase(context, await context.stage(database), each)));
  }
  return rows;
}

async function runCase(context, stage, { what, path, handlers: count, pending }) {
  const [number, seconds] = [context.either(...pending), context.either(40, 2)];
  const where = `${what}, ${number.toLocaleString('en-US')} pending, ${stage.name}`;
  const receiver = await startReceiver();
  const [loud, quiet] = [await stage.account('visitors'), await stage.account('neighbour')];
  await clearDeliveries(stage);
  const service = await stage.start(REACH_LOOPBACK);
  const urls = Array.from({ length: count }, (_, index) => receiver.url(`${path}/-/${index}`));
  const handlers = await createWebhooks(service.port, loud, urls);
  const [handler] = await createWebhooks(service.port, quiet, [receiver.url('/fast/quiet')]);
  await fillIn(stage, loud, handlers, number);
  await sleep(NOTICE_MILLISECONDS);
  const posted = await post(service.port, quiet, handler, seconds);
  const arrivals = await arrivalsOf(posted, receiver);
  const left = await countDeliveries(stage, "status = 'pending'");
  await service.end('SIGKILL');
  receiver.end();
  const times = [...posted].map(([text, time]) => (arrivals.get(text) ?? Infinity) - time);
  const p99 = quantile(times, 0.99) / 1_000;
  context.tell(`${name}, ${where}: p50 ${quantile(times, 0.5)} ms, p99 ${p99} s of ${times.length}, ${left} left`);
  return [
    must(`still pending at the end, ${where}`, left.toLocaleString('en-US'), 'more than 0', left > 0),
    none(`messages of the other account that did not arrive, ${where}`, times.filter((time) => time === Infinity).length),
    timed(context, `p99 until the other account's message arrives, ${where}`, p99, ARRIVAL_SECONDS, 's'),
  ];
}

/** When each message arrived, by its text. Those that have not arrived in time are missing. */
async function arrivalsOf(posted, receiver) {
  let arrivals;
  const haveArrived = async () => {
    arrivals = new Map((await receiver.arrivals()).map(({ text, arrived }) => [text, arrived]));
    return [...posted.keys()].every((text) => arrivals.has(text));
  };
  await until(haveArrived, 'The last message').catch(() => {}); // the figures show it
  return arrivals;
}

/** When each message was posted, by its text. */
async function post(port, { key }, handler, seconds) {
  const client = new Client(port, key);
  const posted = new Map();
  for (let number = 0; number < (seconds * 1_000) / PAUSE_MILLISECONDS; number++) {
    const text = `quiet ${number}`;
    posted.set(text, Date.now());
    const { status, failure } = await client.send('POST', MESSAGES, { form: { text, handler_ids: String(handler) } });
    if (status !== 201) throw new Error(`A message is answered ${status ?? failure}.`);
    await sleep(Math.max(0, posted.get(text) + PAUSE_MILLISECONDS - Date.now()));
  }
  client.close();
  return posted;
}
