import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS } from './client.mjs';
import { none, tested, timed } from './table.mjs';
import { secondsUntilWriting, until } from './waiting.mjs';
import { Writers } from './writers.mjs';

const BACK_SECONDS = 2;
const WRITERS = 4;
const NORMAL = new Set([200, 201, 409]);

/**
 * Writes while a database accepts no writes for some seconds, and compares the stored records after the service was
 * killed and restarted. `begin` and `end` cause the outage.
 */
export async function writeThroughOutage(context, { service, key, seconds, where, begin, end, restart }) {
  const writers = new Writers(service.port, key, WRITERS);
  const reader = new Client(service.port, key);
  await sleep(500);
  await begin();
  const statuses = [];
  let back;
  try {
    const over = performance.now() + seconds * 1_000;
    while (performance.now() < over) {
      statuses.push((await reader.send('GET', DOMAINS)).status);
      await sleep(50);
    }
    await until(() => writers.answers().has(503), 'The first refused write');
  } finally {
    await end();
    back = await secondsUntilWriting(service.port, key);
    await sleep(300);
    await writers.end();
    reader.close();
  }
  const outcomes = writers.answers();
  await service.end('SIGKILL');
  await restart();
  return [
    tested(`writes answered 503, ${where}`, outcomes.get(503) ?? 0),
    none(`writes answered otherwise than by success or 503, ${where}`, others(outcomes)),
    none(`reads not answered, ${where}`, statuses.filter((status) => status !== 200).length),
    timed(context, `writing again after it, ${where}`, back, BACK_SECONDS, 's'),
    ...(await writers.compare(where)),
  ];
}

function others(outcomes) {
  return [...outcomes].reduce((sum, [outcome, count]) => (NORMAL.has(outcome) || outcome === 503 ? sum : sum + count), 0);
}
