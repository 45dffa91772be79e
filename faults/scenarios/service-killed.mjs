import { setTimeout as sleep } from 'node:timers/promises';
import { Writers } from '../harness/writers.mjs';

export const name = 'service-killed';
const WRITERS = 8;

/** Kills the service repeatedly during writes, and restarts it. */
export async function run(context) {
  const times = context.either(20, 4);
  const rows = [];
  for (const database of ['mariadb', 'sqlite']) {
    const stage = await context.stage(database);
    const { key } = await stage.account('writers');
    const service = await stage.start();
    const writers = new Writers(service.port, key, WRITERS);
    for (let time = 0; time < times; time++) {
      await sleep(300 + Math.random() * 500);
      await service.end('SIGKILL');
      await service.start();
    }
    await writers.end();
    rows.push(...(await writers.compare(`${database}, killed ${times} times`)));
    await service.end();
  }
  return rows;
}
