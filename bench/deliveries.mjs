// How fast webhooks leave the queue, and how late: from the time a delivery is due to its first byte at a local receiver.
// Needs a build, and mariadbd. The exit code is 1 if what was due, sent and received differ; paces are only reported.
// `sweep` publishes over HTTP instead, changes one factor at a time, and writes a table.
// Usage: node bench/deliveries.mjs [--only sweep,slow,prompt,fair] [--table bench/deliveries/sweep.csv] [--databases mariadb,sqlite] [--rounds 3] [--seconds 5] [--short]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Context } from '../faults/harness/context.mjs';
import { startHelper } from '../faults/harness/helper.mjs';
import { quantile } from '../faults/harness/quantile.mjs';
import { areAllMet, none, toMarkdown } from '../faults/harness/table.mjs';
import * as fair from '../faults/scenarios/deliveries-hanging.mjs';
import { Load } from './deliveries/load.mjs';
import { COLUMNS, isBalanced, sweep } from './deliveries/sweep.mjs';
import { cpuTime } from './harness/cpu.mjs';
import { residentMegabytes } from './harness/memory.mjs';
import { median } from './harness/statistics.mjs';

/**
 * `goal`: deliveries per second, given the script's. `rate` and `perSecond`: how fast deliveries become due, and how many per second that a
 * round may take. `slots`: as many as the goal needs; a delivery takes `delay` and its share of a queue cycle.
 */
const SLOW = { name: 'slow', delay: 250, slots: 384, goal: () => 1_000, rate: 1_100, perSecond: 1_100 };
const PROMPT = { name: 'prompt', delay: 0, slots: 256, goal: (script) => 0.4 * script, rate: Infinity, perSecond: 4_000 };
const CASES = [
  { ...SLOW, databases: ['mariadb'] },
  { ...PROMPT, databases: ['mariadb', 'sqlite'] },
];
/** The embedded database serves one process. */
const PROCESSES = { sqlite: [1], mariadb: [1, 4] };
const [ACCOUNTS, HANDLERS] = [8, 128];
const LATE_MILLISECONDS = 100;
const HELPERS = '../../bench/deliveries/';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'sweep,slow,prompt,fair' },
    table: { type: 'string' },
    databases: { type: 'string', default: 'mariadb,sqlite' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    short: { type: 'boolean', default: false },
  },
});
const isChosen = (list, name) => list.split(',').includes(name);
const say = (line) => console.error(line);

const context = new Context(options.short, say);
const results = [];
for (const each of CASES.filter(({ name }) => isChosen(options.only, name))) {
  for (const database of each.databases.filter((name) => isChosen(options.databases, name)))
    results.push({ name: `${each.name}, ${database}`, rows: await measure(each, await context.freshStage(database)) });
}
if (isChosen(options.only, 'sweep')) results.push({ name: 'sweep', rows: await sweepAll() });
if (isChosen(options.only, 'fair')) results.push({ name: fair.name, rows: await fair.run(context) });
console.log(toMarkdown(results));
process.exit(areAllMet(results) ? 0 : 1);

async function sweepAll() {
  const table = [];
  for (const database of Object.keys(PROCESSES).filter((name) => isChosen(options.databases, name)))
    for (const processes of PROCESSES[database])
      table.push(...(await sweep(await context.freshStage(database), processes, Number(options.seconds), say)));
  const lines = [COLUMNS, ...table].map((row) => row.join(',')).join('\n');
  if (options.table) writeFileSync(options.table, `${lines}\n`);
  else console.log(lines);
  return [none('runs whose ledger does not balance', table.filter((row) => !isBalanced(row)).length)];
}

/** In each round: a plain script, a full load, and deliveries that become due at half of the goal or of the rate reached. */
async function measure({ delay, slots, goal, rate, perSecond }, stage) {
  const receiver = startHelper(`${HELPERS}receiver-process.mjs`, { delay });
  const port = await receiver.report;
  const load = await Load.prepare(stage, { accounts: ACCOUNTS, handlers: HANDLERS, slots, url: `http://127.0.0.1:${port}/hook` });
  const seconds = Number(options.seconds);
  const rounds = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const script = await runScript(port, delay, slots);
    await receiver.ask('forget');
    const full = await deliver(load, receiver, { count: perSecond * seconds, rate });
    const half = Math.min(goal(script.rate), full.rate) / 2;
    const steady = await deliver(load, receiver, { count: Math.ceil(half * seconds), rate: half });
    rounds.push({ script, full, half: Math.round(half), steady });
    say(JSON.stringify({ database: stage.name, delay, ...rounds.at(-1) }));
  }
  receiver.end();
  const middle = (read) => median(rounds.map(read));
  const reached = middle(({ full }) => full.rate);
  const wanted = middle(({ script }) => goal(script.rate));
  const p99 = middle(({ steady }) => steady.p99);
  return [
    reported('deliveries a second', String(reached), `at least ${Math.round(wanted)}`, reached >= wanted),
    reported('of the script', middle(({ full, script }) => full.rate / script.rate).toFixed(2), '', true),
    reported('CPU time each, of the service', `${middle(({ full }) => full.cpuEach)} µs`, '', true),
    ...(stage.name === 'mariadb' ? [reported('CPU time each, of MariaDB', `${middle(({ full }) => full.databaseEach)} µs`, '', true)] : []),
    reported('memory', `${middle(({ full }) => full.megabytes)} MB`, '', true),
    reported(`p50 at ${middle(({ half }) => half)} a second`, `${middle(({ steady }) => steady.p50)} ms`, '', true),
    reported(`p99 at ${middle(({ half }) => half)} a second`, `${p99} ms`, `at most ${LATE_MILLISECONDS} ms`, p99 <= LATE_MILLISECONDS),
    none(
      'differences between due, sent and received',
      rounds.reduce((sum, { full, steady }) => sum + full.wrong + steady.wrong, 0),
    ),
  ];
}

/** Node's own agent, with as many connections as the service has slots, and no database. */
async function runScript(port, delay, slots) {
  const script = startHelper(`${HELPERS}script-process.mjs`, { port, atOnce: slots, count: delay ? 20 * slots : 20_000 });
  const figures = await script.report;
  script.end();
  return figures;
}

/** Measures a service that delivers the load. Latencies and rates leave out the first fifth of the arrivals, the warm-up. */
async function deliver(load, receiver, { count, rate }) {
  await load.fill(count, rate);
  const service = await load.start();
  const pids = [service.pid, load.databasePid];
  const cpu = pids.map(cpuTime);
  const arrivals = await load.untilArrived(receiver, count);
  const [cpuEach, databaseEach] = pids.map((pid, index) => Math.round((cpuTime(pid) - cpu[index]) / count));
  const megabytes = residentMegabytes(service.pid);
  await service.end('SIGTERM');
  const wrong = await load.difference(arrivals);
  await receiver.ask('forget');
  const times = arrivals.map(([, time]) => time).sort((a, b) => a - b);
  const [first, last] = [Math.floor(count * 0.2), Math.floor(count * 0.9)];
  const late = arrivals.slice(first).map(([id, time]) => time - load.due.get(id));
  return {
    rate: Math.round(((last - first) / (times[last] - times[first])) * 1_000),
    ...{ p50: Math.round(quantile(late, 0.5)), p99: Math.round(quantile(late, 0.99)), wrong },
    ...{ cpuEach, databaseEach, megabytes },
  };
}

/** The machine is shared: a pace is reported, and is not binding. */
function reported(what, figure, bound, isMet) {
  return { what, figure, bound, isMet, isBinding: false };
}
