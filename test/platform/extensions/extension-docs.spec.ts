import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../package.json';
import * as frontdesk from '../../../src/public';

const ROOT = join(__dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const pages = readdirSync(join(ROOT, 'docs/extend')).map((name) => read(`docs/extend/${name}`));
const blocks = [...pages.join('\n').matchAll(/^`(examples\/[\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(([, file, content]) => ({
  file,
  content,
}));

test('docs/extend shows every source file of examples/coupons as it is', () => {
  // Prettier formats JSON in a page differently than in package.json.
  const comparable = (file: string, content: string): unknown => (file.endsWith('.json') ? JSON.parse(content) : content);
  for (const { file, content } of blocks) expect([file, comparable(file, content)]).toEqual([file, comparable(file, read(file))]);
  const sources = readdirSync(join(ROOT, 'examples/coupons/src')).map((name) => `examples/coupons/src/${name}`);
  const shown = blocks.map(({ file }) => file).filter((file) => file.includes('/src/'));
  expect(shown.sort()).toEqual(sources.sort());
});

test('docs/extend/exports.md lists every export once', () => {
  const rows = [...read('docs/extend/exports.md').matchAll(/^\| [^|]+\| (`.*`) +\|$/gm)];
  const listed = rows.flatMap(([, names]) => names.replaceAll('`', '').split(', '));
  expect(listed.sort()).toEqual(exportedNames().sort());
  expect(listed).toEqual(expect.arrayContaining(Object.keys(frontdesk)));
});

test('examples/coupons requires the versions of packages that the service does', () => {
  type Versions = Record<string, string>;
  const versionsOf = (file: string) => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(read(file)) as Record<string, Versions | undefined>;
    return { ...dependencies, ...devDependencies, ...peerDependencies };
  };
  expect({ ...versionsOf('package.json'), frontdesk: `^${version}` }).toMatchObject(versionsOf('examples/coupons/package.json'));
});

function exportedNames(): string[] {
  const lists = [...read('src/public.ts').matchAll(/^export (?:type )?\{(.*?)\} from/gms)];
  const names = lists.flatMap(([, list]) => list.split(',').map((name) => name.trim())).filter(Boolean);
  return names.map((name) => name.replace(/^type /, '').replace(/^.* as /, ''));
}
