import { Context } from './harness/context.mjs';
import { readOptions } from './harness/options.mjs';
import { SCENARIOS } from './harness/scenarios.mjs';
import { areAllMet, must, toMarkdown } from './harness/table.mjs';

/** Two beside each other, beside the other steps of .ci/run, made a scenario miss a bound on two cores. */
const LANES_OF_SHORT_RUN = 1;

const tell = (line) => process.stderr.write(`${line}\n`);

/** A scenario in which MariaDB has crashed, which shows nothing of the service, is tried once more. */
async function perform({ name, run }, context) {
  const begun = performance.now();
  let rows = await attempt(run, context);
  if (await context.reviveMariadb()) rows = await attempt(run, context);
  tell(`${name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
  return { name, rows };
}

/** A scenario that throws has missed its bounds; the others continue. */
async function attempt(run, context) {
  const rows = await run(context).catch((error) => {
    tell(error.stack);
    return [must('is carried out', `breaks off: ${error.message.split('\n')[0]}`, 'to its end', false)];
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
  const contexts = Array.from({ length: isShort ? LANES_OF_SHORT_RUN : 1 }, () => new Context(isShort, tell));
  await Promise.all(contexts.map(performLeft));
  process.stdout.write(`${toMarkdown(results)}\n`);
  process.exit(areAllMet(results) ? 0 : 1);
} catch (error) {
  tell(`The faults could not be tried. ${error.stack}`);
  process.exit(1);
}
