import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../bench/harness/memory.mjs';
import { Client } from '../harness/client.mjs';
import { createAccounts } from '../harness/accounts.mjs';
import { clearDeliveries, countDeliveries, createWebhooks, fillIn, MESSAGES } from '../harness/deliveries.mjs';
import { quantile } from '../harness/quantile.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { must, none, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'deliveries-hanging';
const PAUSE_MILLISECONDS = 200;
/** Every fifth message is a new account's first. */
const FIRST_EVERY = 5;
const ARRIVAL_SECONDS = 1;
/** The number of `accounts`, of `handlers` per account and of `pending` deliveries in total, in the full and in the short run. */
const CASES = [
  { what: 'a receiver that hangs', path: '/hang', accounts: [1, 1], handlers: 1, pending: [10_000, 1_000] },
  { what: 'twenty handlers that hang', path: '/hang', accounts: [1, 1], handlers: 20, pending: [10_000, 1_000] },
  { what: 'five accounts with four that hang', path: '/hang', accounts: [5, 0], handlers: 4, pending: [10_000, 0] },
  { what: 'twenty accounts with two that hang', path: '/hang', accounts: [20, 0], handlers: 2, pending: [10_000, 0] },
  {
    what: 'many accounts with one that hangs',
    path: '/hang',
    accounts: [200, 40],
    handlers: 1,
    pending: [10_000, 1_000],
    slots: [256, 32],
  },
  { what: 'a backlog of one account', path: '/fast', accounts: [1, 1], handlers: 10, pending: [100_000, 30_000] },
];

/** Some accounts' deliveries use all slots they may; another account's next message, and a new account's first, must arrive on time. */
export async function run(context) {
  const rows = [];
  for (const database of context.either(['mariadb', 'sqlite'], ['mariadb'])) {
    for (const each of CASES.filter(({ accounts }) => context.either(...accounts) > 0))
      rows.push(...(await runCase(context, await context.stage(database), each)));
  }
  return rows;
}

async function runCase(context, stage, { what, path, accounts, handlers: count, pending, slots = [256, 256] }) {
  const [number, seconds] = [context.either(...pending), context.either(20, 2)];
  const where = `${what}, ${number.toLocaleString('en-US')} pending, ${stage.name}`;
  const receiver = await startReceiver();
  await clearDeliveries(stage);
  const loud = await createAccounts(stage, context.either(...accounts));
  const others = await createAccounts(stage, 1 + (seconds * 1_000) / PAUSE_MILLISECONDS / FIRST_EVERY);
  const service = await stage.start({ ...REACH_LOOPBACK, DELIVERY_CONCURRENCY: String(context.either(...slots)) });
  for (const [index, other] of others.entries())
    [other.handler] = await createWebhooks(service.port, other, [receiver.url(`/fast/-/${index}`)]);
  for (const [index, account] of loud.entries()) {
    const urls = Array.from({ length: count }, (_, handler) => receiver.url(`${path}/-/${index}-${handler}`));
    await fillIn(stage, account, await createWebhooks(service.port, account, urls), number / loud.length);
  }
  const isUntried = async () => (await stage.query('SELECT lane FROM delivery_lanes WHERE last_ms IS NULL LIMIT 1')).length > 0;
  await until(async () => !(await isUntried()), 'The first attempt of each handler');
  const posted = await post(service.port, others, seconds);
  const arrivals = await arrivalsOf(posted, receiver);
  const left = await countDeliveries(stage, "status = 'pending'");
  const memory = residentMegabytes(service.pid);
  await service.end('SIGTERM');
  const received = (await receiver.arrivals()).length;
  const [{ sent }] = await stage.query('SELECT SUM(attempts) AS sent FROM deliveries');
  receiver.end();
  const times = [...posted].map(([text, time]) => (arrivals.get(text) ?? Infinity) - time);
  const p99 = quantile(times, 0.99) / 1_000;
  context.logProgress(`${name}, ${where}: p50 ${quantile(times, 0.5)} ms, p99 ${p99} s of ${times.length}, ${left} left, ${memory} MB`);
  return [
    must(`still pending at the end, ${where}`, left.toLocaleString('en-US'), 'more than 0', left > 0),
    none(`messages of other accounts that did not arrive, ${where}`, times.filter((time) => time === Infinity).length),
    none(`attempts recorded but not received, or received but not recorded, ${where}`, Math.abs(received - Number(sent))),
    timed(context, `p99 until another account's message arrives, ${where}`, p99, ARRIVAL_SECONDS, 's'),
  ];
}

/** When each message arrived, by its text. Messages that haven't arrived in time are missing. */
async function arrivalsOf(posted, receiver) {
  let arrivals;
  const haveArrived = async () => {
    arrivals = new Map((await receiver.arrivals()).map(({ text, arrived }) => [text, arrived]));
    return [...posted.keys()].every((text) => arrivals.has(text));
  };
  await until(haveArrived, 'The last message').catch(() => {}); // the figures show it
  return arrivals;
}

/** When each message was posted, by its text: by the first account, and sometimes by a new one. */
async function post(port, [quiet, ...newcomers], seconds) {
  const clients = new Map([quiet, ...newcomers].map((account) => [account, new Client(port, account.key)]));
  const posted = new Map();
  for (let number = 1; number <= (seconds * 1_000) / PAUSE_MILLISECONDS; number++) {
    const account = number % FIRST_EVERY === 0 ? newcomers.shift() : quiet;
    const text = `quiet ${number}`;
    posted.set(text, Date.now());
    const form = { text, handler_ids: String(account.handler) };
    const { status, failure } = await clients.get(account).send('POST', MESSAGES, { form });
    if (status !== 201) throw new Error(`Sending a message failed with ${status ?? failure}.`);
    await sleep(Math.max(0, posted.get(text) + PAUSE_MILLISECONDS - Date.now()));
  }
  for (const client of clients.values()) client.close();
  return posted;
}
