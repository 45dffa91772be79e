import { describeMachine } from './harness/machine.mjs';
import { measureOn } from './harness/measure.mjs';
import { readOptions } from './harness/options.mjs';
import { preparePeers } from './harness/peers.mjs';
import { BenchmarkReport, writePages } from './harness/report.mjs';
import { profilePages } from './harness/profile.mjs';
import { baseline, SERVERS } from './harness/servers.mjs';
import { requireWrk } from './harness/wrk.mjs';

const logProgress = (line) => process.stderr.write(`${line}\n`);

try {
  const options = readOptions(
    process.argv.slice(2),
    SERVERS.map(({ name }) => name),
  );
  const chosen = SERVERS.filter(({ name }) => options.servers.includes(name));
  const servers = options.baseline ? [...chosen, baseline(options.baseline)] : chosen;
  await requireWrk();
  await preparePeers(servers, logProgress);
  const machine = await describeMachine(servers); // before the run: the checkout may change during it
  const results = [];
  for (const database of options.databases) {
    const able = servers.filter(({ databases }) => databases.includes(database));
    if (able.length > 0) results.push(await measureOn(database, able, options, logProgress));
  }
  if (options.profile) {
    for (const { database, works, figures } of results) process.stdout.write(`# ${database}\n\n${profilePages(figures, works)}\n`);
    process.exit();
  }
  const report = new BenchmarkReport(results, servers, machine, options);
  process.stdout.write(await report.figures());
  if (options.isWhole) await writePages(report);
} catch (error) {
  logProgress(`The bench has failed. ${error.stack}`);
  process.exit(1);
}
