import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { BENCH } from './paths.mjs';
import { Figures } from './statistics.mjs';
import { cpuTable, latenciesTable, ratesTable, walkTable } from './tables.mjs';
import { targetsTable } from './targets.mjs';

const FILE = join(BENCH, 'RESULTS.md');
const TITLES = { mariadb: 'MariaDB', mysql: 'MySQL', sqlite: 'SQLite' };
const NOTES = '\n## Notes\n';

/** The figures as Markdown. */
export function report(results, servers, machine, { rounds, seconds }) {
  const date = new Date().toISOString().slice(0, 10);
  const parts = [
    '# Results',
    `Measured on ${date} by \`npm run bench\`: medians of ${rounds} rounds of ${seconds} s. [README.md](README.md) says what is measured and how to read it.`,
    [...machine, ...results.map(({ version }) => `- ${version}`)].join('\n'),
    ...results.flatMap((result) => sections(result, servers)),
    ...results.flatMap(({ database, works, figures }) => [`## Targets on ${TITLES[database]}`, targetsTable(works, new Figures(figures))]),
  ];
  return format(parts.join('\n\n'), { parser: 'markdown' });
}

function sections({ database, works, figures: all }, servers) {
  const figures = new Figures(all);
  const present = servers.filter(({ databases }) => databases.includes(database));
  const loads = works.filter(({ kind }) => kind !== 'walk');
  const walk = works.find(({ kind }) => kind === 'walk');
  return [
    `## ${TITLES[database]}: requests a second (ratio of frontdesk to the peer)`,
    ratesTable(loads, present, figures),
    `## ${TITLES[database]}: p50 / p99 in milliseconds (ratio of frontdesk's p50 to the peer's)`,
    latenciesTable(loads, present, figures),
    `## ${TITLES[database]}: microseconds of CPU a request (ratio of frontdesk to the peer)`,
    cpuTable(loads, present, figures),
    ...(walk ? [`## ${TITLES[database]}: ${walk.title} by \`links.next\`, 1,000 a page`, walkTable(walk, present, figures)] : []),
  ];
}

/** Rewrites RESULTS.md, but keeps the hand-written notes. */
export function writeResults(text) {
  const [, notes] = (existsSync(FILE) ? readFileSync(FILE, 'utf8') : '').split(NOTES);
  writeFileSync(FILE, notes === undefined ? text : text + NOTES + notes);
}
