// Fails unless docs/internals/ has the table of speed that bench/RESULTS.md gives, and the tree the rooms of src/. `--write` writes the table.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const BENCHMARKS = join(ROOT, 'docs/internals/benchmarks.md');
const ARCHITECTURE = join(ROOT, 'docs/internals/architecture.md');
const TABLE = /(?<=<!-- speed: .* -->\n\n)\|[^]*?\n(?=\n<!-- end of speed -->)/;
const TREE = /(?<=\n## The tree\n[^]*?\nsrc\/\n)[^]*?\n(?=test\/)/;
const WORKS = [
  'list of 25, account of 100',
  'first page of 25, account of 100',
  'list of 1,000, account of 10,000',
  'read by id',
  'create',
  'update',
  'middle page of 25, account of 1,000,000',
  'large scheduling list, a text that is nowhere',
];
/** Columns of RESULTS.md, by their headings here. */
const COLUMNS = {
  work: 'work',
  connections: 'connections',
  'node:http by hand': 'by-hand',
  'the same, with our audit': 'by-hand-audited',
  'a Nest application that does the same': 'nest-with-the-same',
  'textbook Nest': 'textbook',
};

const page = readFileSync(BENCHMARKS, 'utf8');
const tree = TREE.exec(readFileSync(ARCHITECTURE, 'utf8'));
if (!TABLE.test(page) || !tree) throw new Error('docs/internals/ lacks the table of speed, or the tree.');
const expected = page.replace(TABLE, speedTable(readFileSync(join(ROOT, 'bench', 'RESULTS.md'), 'utf8')));
const problems = treeProblems(tree[0]);
if (process.argv.includes('--write')) writeFileSync(BENCHMARKS, expected);
else if (page !== expected) problems.push('The table of speed differs from bench/RESULTS.md: run `node scripts/internals.mjs --write`.');
for (const problem of problems) console.error(`docs/internals/: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** On MariaDB. @throws Error when RESULTS.md lacks a work or a column */
function speedTable(results) {
  const section = /\n## MariaDB\n[^]*?(?=\n## |$)/.exec(results)?.[0] ?? '';
  const [header, , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);
  const lines = WORKS.map((work) => rows.find(([title]) => title === work) ?? refuse(work));
  const indexes = Object.values(COLUMNS).map((name) => (header?.includes(name) ? header.indexOf(name) : refuse(name)));
  return format([Object.keys(COLUMNS), ...lines.map((line) => indexes.map((index) => line[index]))]);
}

function cellsOf(line) {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function refuse(name) {
  throw new Error(`bench/RESULTS.md has no "${name}" on MariaDB.`);
}

/** As Prettier does. */
function format([header, ...lines]) {
  const widths = header.map((_, column) => Math.max(...[header, ...lines].map((cells) => cells[column].length)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [header, rule, ...lines].map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |\n`).join('');
}

/** The rooms of src/, and those of the platform and the programs, by name. */
function treeProblems(tree) {
  const named = new Set(tree.match(/[\w-]+(?=\/)/g));
  const entries = ['src', 'src/platform', 'src/programs'].flatMap((folder) => readdirSync(join(ROOT, folder), { withFileTypes: true }));
  const existing = new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
  const missing = [...existing].filter((name) => !named.has(name)).map((name) => `the tree lacks ${name}/.`);
  return [...missing, ...[...named].filter((name) => !existing.has(name)).map((name) => `the tree has ${name}/, and src/ doesn't.`)];
}
