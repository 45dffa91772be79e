import { setTimeout as sleep } from 'node:timers/promises';
import { none, tested } from '../harness/table.mjs';
import { Visitors } from '../harness/visitors.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'rolls';
const VISITORS = 8;
const WORKERS = 2;

/** SIGHUP under load: each worker is replaced by a new one. */
export async function run(context) {
  const times = context.either(10, 2);
  const stage = await context.stage('mariadb');
  const { key } = await stage.account('visitors');
  const service = await stage.start({ WORKERS: String(WORKERS) });
  const visitors = new Visitors(service.port, key, VISITORS);
  for (let time = 0; time < times; time++) {
    await sleep(300);
    const before = service.workers();
    service.signal('SIGHUP');
    await until(() => isRolled(before, service.workers()), 'A roll of the workers');
  }
  await sleep(300);
  await visitors.end();
  const failed = visitors.failed();
  await service.end('SIGTERM');
  if (failed.length > 0) context.logProgress(`${name}: ${[...new Set(failed)].join(', ')}`);
  return [tested(`requests answered, ${times} SIGHUPs`, visitors.answered), none('requests failed', failed.length)];
}

function isRolled(before, now) {
  return now.length === WORKERS && !now.some((pid) => before.includes(pid));
}
