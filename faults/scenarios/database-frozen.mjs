import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from '../harness/client.mjs';
import { none, tested, timed } from '../harness/table.mjs';
import { secondsUntilAnswering } from '../harness/waiting.mjs';

export const name = 'database-frozen';
const ANSWER_SECONDS = 2;
/** Later requests fail at once; these wait until a ping, sent every 250 ms, has gone unanswered for a second. */
const FIRST_MILLISECONDS = 1_000;
const BACK_SECONDS = 2;
const PAUSE_MILLISECONDS = 50;
const SENDS = [
  (client) => client.send('GET', DOMAINS),
  (client) => client.send('GET', '/scheduling?api=servicos'),
  (client, unique) => client.send('POST', DOMAINS, { form: { host: `${unique}.example.com` } }),
  (client, unique) => client.send('POST', HANDLERS, { form: { name: unique, type: 'email' } }),
];

/** The database freezes, as on a hanging disk: connections stay open, but nothing answers. */
export async function run(context) {
  const seconds = context.either(10, 5);
  const mariadb = await context.mariadb();
  const stage = await context.stage('mariadb');
  const { key } = await stage.account('writers');
  const service = await stage.start();
  const answers = [];
  const alive = [];
  let isOver = false;
  const clients = Array.from({ length: 16 }, async (_, index) => {
    const client = new Client(service.port, key);
    for (let count = 0; !isOver; count++) {
      answers.push(await SENDS[index % SENDS.length](client, `frozen-${index}-${count}`));
      await sleep(PAUSE_MILLISECONDS);
    }
    client.close();
  });
  clients.push(pollLive(service.port, alive, () => isOver));

  await sleep(500);
  await mariadb.freeze();
  const frozen = performance.now();
  let thawed;
  let back;
  try {
    await sleep(seconds * 1_000);
  } finally {
    thawed = performance.now();
    mariadb.thaw();
    back = await secondsUntilAnswering(service.port, key);
    isOver = true;
    await Promise.all(clients);
  }
  const during = answers.filter(({ begun, milliseconds }) => begun > frozen && begun + milliseconds < thawed);
  const first = answers.filter(({ begun, milliseconds }) => begun + milliseconds > frozen && begun < frozen + FIRST_MILLISECONDS);
  const others = during.filter(({ status }) => status !== 503);
  if (others.length > 0)
    context.logProgress(
      `${name}: ${others.map(({ status, failure, milliseconds }) => `${status ?? failure} after ${Math.round(milliseconds)} ms`).join(', ')}`,
    );
  const slowest = (slowestOf(answers) - slowestOf(alive)) / 1_000;
  return [
    tested(`requests answered while it is frozen for ${seconds} s`, during.length),
    tested('requests in progress in its first second', first.length),
    none('of these, answered only after it resumed', first.filter(({ begun, milliseconds }) => begun + milliseconds >= thawed).length),
    timed(context, 'slowest response, less the slowest of /health/live', slowest, ANSWER_SECONDS, 's'),
    none('requests without a response', answers.filter(({ failure }) => failure).length),
    none('responses other than 503 while it is frozen', others.length),
    timed(context, 'responding again after it resumed', back, BACK_SECONDS, 's'),
  ];
}

/** Measures the machine's own delays, with requests that need no database. */
async function pollLive(port, answers, isOver) {
  const client = new Client(port);
  while (!isOver()) {
    answers.push(await client.send('GET', '/health/live'));
    await sleep(PAUSE_MILLISECONDS);
  }
  client.close();
}

function slowestOf(answers) {
  return Math.max(...answers.map(({ milliseconds }) => milliseconds));
}
