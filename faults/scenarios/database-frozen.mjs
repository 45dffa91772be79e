import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from '../harness/client.mjs';
import { atMost, none, tested } from '../harness/table.mjs';
import { secondsUntilAnswering } from '../harness/waiting.mjs';

export const name = 'database-frozen';
const ANSWER_SECONDS = 2;
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
  let isOver = false;
  const clients = Array.from({ length: 16 }, async (_, index) => {
    const client = new Client(service.port, key);
    for (let count = 0; !isOver; count++) {
      answers.push(await SENDS[index % SENDS.length](client, `frozen-${index}-${count}`));
      await sleep(PAUSE_MILLISECONDS);
    }
    client.close();
  });

  await sleep(500);
  const frozen = performance.now();
  mariadb.freeze();
  let back;
  try {
    await sleep(seconds * 1_000);
  } finally {
    mariadb.thaw();
    back = await secondsUntilAnswering(service.port, key);
    isOver = true;
    await Promise.all(clients);
  }
  const during = answers.filter(({ begun }) => begun > frozen && begun < frozen + (seconds - ANSWER_SECONDS) * 1_000);
  const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds)) / 1_000;
  return [
    tested(`requests while it is frozen for ${seconds} s`, during.length),
    atMost('slowest answer', slowest, ANSWER_SECONDS, 's'),
    none('requests without an answer', answers.filter(({ failure }) => failure).length),
    none('answers other than 503 while it is frozen', during.filter(({ status }) => status !== 503).length),
    atMost('answering again when it goes on', back, BACK_SECONDS, 's'),
  ];
}
