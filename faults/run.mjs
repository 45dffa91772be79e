import { Context } from './harness/context.mjs';
import { readOptions } from './harness/options.mjs';
import { SCENARIOS } from './harness/scenarios.mjs';
import { areAllMet, must, toMarkdown } from './harness/table.mjs';

/** Two at once, along with the other steps of .ci/run, made a scenario miss a bound on two cores. */
const CONCURRENT_SHORT_SCENARIOS = 1;

const logProgress = (line) => process.stderr.write(`${line}\n`);

/** Runs a scenario, and runs it again if MariaDB crashed, which says nothing about the service. */
async function perform({ name, run }, context) {
  const begun = performance.now();
  let rows = await attempt(run, context);
  if (await context.reviveMariadb()) rows = await attempt(run, context);
  logProgress(`${name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
  return { name, rows };
}

/** A scenario that throws counts as missing its bounds; the others continue. */
async function attempt(run, context) {
  const rows = await run(context).catch((error) => {
    logProgress(error.stack);
    return [must('completes', `stops: ${error.message.split('\n')[0]}`, 'to its end', false)];
  });
  await context.endServices();
  return rows;
}

try {
  const { isShort, only } = readOptions(
    process.argv.slice(2),
    SCENARIOS.map(({ name }) => name),
  );
  const scenarios = SCENARIOS.filter(({ name }) => only.includes(name));
  const results = [];
  const left = scenarios.entries();
  const performLeft = async (context) => {
    for (const [index, scenario] of left) results[index] = await perform(scenario, context);
  };
  const contexts = Array.from({ length: isShort ? CONCURRENT_SHORT_SCENARIOS : 1 }, () => new Context(isShort, logProgress));
  await Promise.all(contexts.map(performLeft));
  process.stdout.write(`${toMarkdown(results)}\n`);
  process.exit(areAllMet(results) ? 0 : 1);
} catch (error) {
  logProgress(`The scenarios could not be run. ${error.stack}`);
  process.exit(1);
}
