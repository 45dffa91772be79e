import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(__dirname, '../../docs');

test('docs/index.md lists every page of the menu in order', async () => {
  const { PARTS } = (await import(join(DOCS, '.vitepress/pages.mjs'))) as { PARTS: { pages: string[] }[] };
  const links = [...readFileSync(join(DOCS, 'index.md'), 'utf8').matchAll(/^- \[.+\]\((.+)\)$/gm)].map(([, page]) => page);
  expect(links).toEqual(PARTS.flatMap(({ pages }) => pages));
});
