import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import type Token from 'markdown-it/lib/token.mjs';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { PARTS } from './pages.mjs';

const DOCS = join(import.meta.dirname, '..');

export default defineConfig({
  lang: 'en',
  title: 'frontdesk',
  description: 'Custom domains, notifications, an event feed and scheduling records behind one JSON API, self-hosted.',
  base: process.env.DOCS_BASE ?? '/',
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  markdown: {
    anchor: { slugify: (heading) => new GithubSlugger().slug(heading) }, // the anchors of code hosts
    config: (markdown) =>
      markdown.core.ruler.push('outside', ({ tokens, env }) => tokens.forEach((block) => unlinkOutside(block, env.relativePath))),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: PARTS.map((part) => ({ text: part.title, collapsed: part.title !== 'Start', items: itemsOf(part) })),
  },
  buildEnd: ({ outDir }) => writeForMachines(outDir),
});

function itemsOf({ pages, groups }: (typeof PARTS)[number]): DefaultTheme.SidebarItem[] {
  return groups ? groups.map((group) => ({ text: group.title, items: group.pages.map(linkOf) })) : pages.map(linkOf);
}

function linkOf(page: string): DefaultTheme.SidebarItem {
  return { text: titleOf(page), link: `/${page}` };
}

function titleOf(page: string): string {
  const [, title] = /^# (.+)$/m.exec(textOf(page)) ?? [];
  if (!title) throw new Error(`docs/${page} has no heading.`);
  return title;
}

/** On a code host, pages link to files beside docs/, which the site doesn't have. */
function unlinkOutside(block: Token, page: string): void {
  const open: boolean[] = []; // of the links around a token, whether they are left out
  block.children = (block.children ?? []).filter(({ type, attrs }) => {
    if (type === 'link_close') return !open.pop();
    if (type !== 'link_open') return true;
    const target = attrs?.find(([name]) => name === 'href')?.[1] ?? '';
    open.push(posix.join(posix.dirname(page), target).startsWith('..'));
    return !open.at(-1);
  });
}

function textOf(page: string): string {
  return readFileSync(join(DOCS, page), 'utf8');
}

/** Beside each page its Markdown, and a list of all: https://llmstxt.org. @throws Error for a page that the list lacks */
function writeForMachines(folder: string): void {
  const listed = PARTS.flatMap(({ pages }) => pages);
  const existing = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md') && name !== 'index.md');
  const missing = existing.filter((page) => !listed.includes(page));
  if (missing.length > 0) throw new Error(`docs/.vitepress/pages.mjs lacks ${missing.join(', ')}.`);
  for (const page of ['index.md', ...listed]) cpSync(join(DOCS, page), join(folder, page));
  const parts = PARTS.map(({ title, pages }) => `## ${title}\n\n${pages.map((page) => `- [${titleOf(page)}](${page})`).join('\n')}\n`);
  writeFileSync(join(folder, 'llms.txt'), `# frontdesk\n\n${parts.join('\n')}`);
}
