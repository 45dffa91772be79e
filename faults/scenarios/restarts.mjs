import { setTimeout as sleep } from 'node:timers/promises';
import { none, tested } from '../harness/table.mjs';
import { Visitors } from '../harness/visitors.mjs';

export const name = 'restarts';
const VISITORS = 16;

/** SIGTERM under load, with a delay before the restart. */
export async function run(context) {
  const times = context.either(10, 2);
  const rows = [];
  for (const database of ['mariadb', 'sqlite']) {
    const stage = await context.stage(database);
    const { key } = await stage.account('visitors');
    const service = await stage.start();
    const visitors = new Visitors(service.port, key, VISITORS);
    let badly = 0;
    for (let time = 0; time < times; time++) {
      await sleep(500);
      if ((await service.end('SIGTERM')) !== 0) badly++;
      await service.start();
    }
    await visitors.end();
    const failed = visitors.failed();
    await service.end();
    rows.push(
      tested(`requests answered, ${database}, ${times} SIGTERMs`, visitors.answered),
      none(`requests failed, ${database}`, failed.length, failed),
      none(`exit codes other than 0, ${database}`, badly),
    );
  }
  return rows;
}
