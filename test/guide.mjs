import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../bench/harness/paths.mjs';

/** The code block of a guide, such as docs/operate/galera.md, below a line that ends with these words: tests run what it shows. */
export function blockOf(guide, words) {
  const text = readFileSync(join(ROOT, guide), 'utf8');
  const lead = `${words}:\n\n\`\`\``;
  const start = text.indexOf(lead);
  if (start < 0) throw new Error(`${guide} shows nothing below "${words}:".`);
  const [, block] = text.slice(start + lead.length).match(/^\w*\n(.*?)^```/ms);
  return block;
}

/** Replaces words of a guide. @throws Error when it lacks one */
export function withWords(text, words) {
  return Object.entries(words).reduce((changed, [word, other]) => {
    if (!changed.includes(word)) throw new Error(`The guide has no ${word} where the test would put ${other}.`);
    return changed.replaceAll(word, other);
  }, text);
}
