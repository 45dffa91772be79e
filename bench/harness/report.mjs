import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { BENCH } from './paths.mjs';
import { Figures } from './statistics.mjs';
import { cpuTable, latenciesTable, ratesTable, summaryTable, walkTable } from './tables.mjs';
import { measureTargets, missedTable, targetsTable } from './targets.mjs';

const TITLES = { mariadb: 'MariaDB', mysql: 'MySQL', sqlite: 'SQLite' };
const WHAT = `Requests per second, latency and CPU time are one process's. The columns of the peers have its rate relative to theirs: more than 1× is faster. \`by-hand\` is node:http and the driver, without validation and audit; \`by-hand-audited\` writes the same rows as the service; \`nest\` is a Nest application with the statements of \`by-hand\`, \`nest-with-the-same\` also writes those rows, and has ids, log lines, metrics and ETags; \`textbook\` is Nest as its documentation teaches it; the others are Nest libraries for lists.

[README.md](README.md) describes the works and the method, [FIGURES.md](FIGURES.md) has every work, the peers' own figures and all targets, [HISTORY.md](HISTORY.md) what single changes brought.`;
/** Written by hand, and kept by each run. */
const REASONS = '\n## Why\n';

/** The report on a run: its results by database, the machine, and the options. */
export class BenchmarkReport {
  constructor(results, servers, machine, { rounds, seconds }) {
    const date = new Date().toISOString().slice(0, 10);
    this.source = `Measured on ${date} by \`npm run bench\`: medians of ${rounds} rounds of ${seconds} s.`;
    this.machine = machine;
    this.versions = results.map(({ version }) => `- ${version}`);
    this.results = results.map(({ database, works, figures: all }) => {
      const figures = new Figures(all);
      const present = servers.filter(({ databases }) => databases.includes(database));
      return { title: TITLES[database], works, figures, servers: present, targets: measureTargets(works, figures) };
    });
  }

  /** FIGURES.md: each server's rate, latency and CPU time, and every target. */
  figures() {
    return page([
      '# Figures',
      `${this.source} [RESULTS.md](RESULTS.md) is the summary, [README.md](README.md) the method.`,
      [...this.machine, ...this.versions].join('\n'),
      ...this.results.flatMap(sections),
      ...this.results.flatMap(({ title, targets }) => [`## Targets on ${title}`, targetsTable(targets)]),
    ]);
  }

  /** RESULTS.md, up to the reasons. */
  summary() {
    const met = this.results.map(({ title, targets }) => `${targets.filter(({ isMet }) => isMet).length} of ${targets.length} on ${title}`);
    return page([
      '# Results',
      this.source,
      WHAT,
      [...this.machine.slice(0, 3), ...this.versions].join('\n'), // without the peers' packages
      ...this.results.flatMap(({ title, works, servers, figures }) => [`## ${title}`, summaryTable(works, servers, figures)]),
      '## Missed targets',
      `Met are ${met.join(', and ')}. The missed ones are bold:`,
      missedTable(this.results),
    ]);
  }
}

/** Rewrites both pages, but keeps the reasons. */
export async function writePages(report) {
  const [figures, results] = ['FIGURES.md', 'RESULTS.md'].map((name) => join(BENCH, name));
  const [, reasons = '\nTo be written.\n'] = (existsSync(results) ? readFileSync(results, 'utf8') : '').split(REASONS);
  writeFileSync(figures, await report.figures());
  writeFileSync(results, (await report.summary()) + REASONS + reasons);
}

/** Replaces a section of RESULTS.md, or adds one at its end, which each run keeps. */
export async function writeSection(title, parts) {
  const file = join(BENCH, 'RESULTS.md');
  const section = await page([`## ${title}`, ...parts]);
  const others = readFileSync(file, 'utf8').split(/\n(?=## )/);
  const index = others.findIndex((other) => other.startsWith(`## ${title}\n`));
  writeFileSync(file, index < 0 ? [...others, section].join('\n') : others.with(index, section).join('\n'));
}

function sections({ title, works, servers, figures }) {
  const loads = works.filter(({ kind }) => kind !== 'walk');
  const walk = works.find(({ kind }) => kind === 'walk');
  return [
    `## ${title}: requests a second (ratio of frontdesk to the peer)`,
    ratesTable(loads, servers, figures),
    `## ${title}: p50 / p99 in milliseconds (ratio of frontdesk's p50 to the peer's)`,
    latenciesTable(loads, servers, figures),
    `## ${title}: microseconds of CPU a request (ratio of frontdesk to the peer)`,
    cpuTable(loads, servers, figures),
    ...(walk ? [`## ${title}: ${walk.title} by \`links.next\`, 1,000 a page`, walkTable(walk, servers, figures)] : []),
  ];
}

function page(parts) {
  return format(parts.join('\n\n'), { parser: 'markdown' });
}
