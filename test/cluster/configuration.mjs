import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../bench/harness/paths.mjs';

const GUIDE = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');

/** The code block below a file name in docs/operating.md, so that the test runs what the guide shows. */
export function blockOf(file) {
  const name = `\`${file}\`:\n\n\`\`\``;
  const start = GUIDE.indexOf(name);
  if (start < 0) throw new Error(`docs/operating.md shows no ${file}.`);
  const [, block] = GUIDE.slice(start + name.length).match(/^\w*\n(.*?)^```/ms);
  return block;
}

/** Replaces words of the guide. @throws Error when the guide lacks one */
export function withWords(text, words) {
  return Object.entries(words).reduce((changed, [word, other]) => {
    if (!changed.includes(word)) throw new Error(`docs/operating.md has no ${word} where the test would put ${other}.`);
    return changed.replaceAll(word, other);
  }, text);
}
