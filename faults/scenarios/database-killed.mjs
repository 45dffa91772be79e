import { setTimeout as sleep } from 'node:timers/promises';
import { timed } from '../harness/table.mjs';
import { secondsUntilAnswering } from '../harness/waiting.mjs';
import { Writers } from '../harness/writers.mjs';

export const name = 'database-killed';
const WRITERS = 8;
const BACK_SECONDS = 2;

/** Kills the database repeatedly during writes, and restarts it on its files. */
export async function run(context) {
  const times = context.either(20, 4);
  const mariadb = await context.mariadb();
  const stage = await context.stage('mariadb');
  const { key } = await stage.account('writers');
  const service = await stage.start();
  const writers = new Writers(service.port, key, WRITERS);
  let slowest = 0;
  for (let time = 0; time < times; time++) {
    await sleep(300 + Math.random() * 500);
    await mariadb.kill();
    await sleep(Math.random() * 500);
    await mariadb.start();
    slowest = Math.max(slowest, await secondsUntilAnswering(service.port, key));
  }
  await writers.end();
  return [
    ...(await writers.compare(`killed ${times} times`)),
    timed(context, 'responding again after the database is back', slowest, BACK_SECONDS, 's'),
  ];
}
