import { median } from '../../bench/harness/statistics.mjs';
import { DOMAINS } from '../harness/client.mjs';
import { load } from '../harness/load.mjs';
import { none, tested, timed } from '../harness/table.mjs';

export const name = 'crowding';
const QUIET_CONNECTIONS = 4;
const LOUD_CONNECTIONS = 20 * QUIET_CONNECTIONS;
const MAX_SLOWDOWN = 2;

/** One account sends twenty times as much as before; the other's load stays the same. */
export async function run(context) {
  const rows = [];
  for (const database of context.either(['mariadb', 'sqlite'], ['mariadb'])) {
    rows.push(...(await runOn(context, await context.stage(database))));
  }
  return rows;
}

async function runOn(context, stage) {
  const [rounds, seconds] = [context.either(5, 2), context.either(5, 3)];
  const [loud, quiet] = [await stage.account('visitors'), await stage.account('neighbour')];
  const { port } = await stage.start();
  const ask = ({ key }, connections, duration = seconds) =>
    load(port, key, { connections, seconds: duration, path: `${DOMAINS}?results_per_page=25` });
  await Promise.all([ask(loud, QUIET_CONNECTIONS, 1), ask(quiet, QUIET_CONNECTIONS, 1)]); // warm-up
  const before = [];
  const during = [];
  for (let round = 0; round < rounds; round++) {
    for (const [connections, figures] of [
      [QUIET_CONNECTIONS, before],
      [LOUD_CONNECTIONS, during],
    ]) {
      const [crowd, other] = await Promise.all([ask(loud, connections), ask(quiet, QUIET_CONNECTIONS)]);
      figures.push(other);
      context.logProgress(`${name}, ${stage.name}, ${connections} beside 4: ${JSON.stringify({ crowd, other })}`);
    }
  }
  const [p99Before, p99During] = [before, during].map((figures) => median(figures.map(({ p99 }) => p99)));
  return [
    tested(`responses to the other account, ${stage.name}`, Math.min(...during.map(({ answered }) => answered))),
    timed(
      context,
      `requests of the other account rejected after a second, ${stage.name}`,
      sum(during, ({ refused }) => refused),
      0,
      'requests',
    ),
    none(
      `requests of the other account lost, ${stage.name}`,
      sum(during, ({ lost }) => lost),
    ),
    timed(
      context,
      `p99 of the other account (${p99Before.toFixed(1)} → ${p99During.toFixed(1)} ms), ${stage.name}`,
      p99During / p99Before,
      MAX_SLOWDOWN,
      '×',
    ),
  ];
}

function sum(values, of) {
  return values.reduce((total, value) => total + of(value), 0);
}
