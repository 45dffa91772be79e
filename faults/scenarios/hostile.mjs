import { join } from 'node:path';
import { startHelper } from '../harness/helper.mjs';
import { SEED } from '../harness/random.mjs';
import { liveMemoryIn } from '../harness/service.mjs';
import { atMost, none, tested } from '../harness/table.mjs';

export const name = 'hostile';
const CONNECTIONS = 16;
const DRIFT_PERCENT = 5;

/** Sends thousands of requests that no client sends on purpose. Memory may grow with the first ones, but not further. */
export async function run(context) {
  const [count, hangSeconds] = [context.either(50_000, 5_000), context.either(1, 30)];
  const stage = await context.stage('mariadb');
  const { key } = await stage.account('visitors');
  const service = await stage.start(liveMemoryIn(join(stage.folder, 'memory')));
  const send = (seed, many) =>
    startHelper('hostile-process.mjs', {
      port: service.port,
      key,
      seed,
      count: many,
      atOnce: CONNECTIONS,
      hangMilliseconds: hangSeconds * 1_000,
    }).report;
  const figures = [];
  const memory = [];
  for (let part = 0; part < 5; part++) {
    figures.push(await send(SEED + part, count / 5));
    memory.push(await service.liveMemory());
  }
  context.logProgress(`${name}: ${JSON.stringify({ memory, figures })}`);
  const sum = (of) => figures.reduce((total, figure) => total + of(figure), 0);
  const rows = [
    tested(
      'requests',
      sum(({ sent }) => sent),
    ),
    none(
      'responses with 5xx',
      sum(({ faults }) => faults),
    ),
    none(
      `requests that hang for over ${hangSeconds} s, or are complete but get no response`,
      sum(({ hung }) => hung),
    ),
  ];
  // The short run's few requests are all warm-up.
  if (!context.isShort)
    rows.push(atMost('growth of memory from the third fifth to the last', (memory[4] / memory[2] - 1) * 100, DRIFT_PERCENT, '%'));
  return rows;
}
