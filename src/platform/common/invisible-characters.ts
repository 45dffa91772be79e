/** White space, and format characters that are often copied along with text. Each is one UTF-16 unit. */
const TRIMMED_CHARACTER = /[\s\u200B\u2060\u202A-\u202E\u2066-\u2069]/;

/** Format characters, except the joiners that emoji and some scripts need. */
const INVISIBLE_CHARACTERS = /(?![\u200C\u200D])\p{Cf}/gu;

/** Like `trim()`, but also removes format characters. A regular expression for the end of the text would take quadratic time. */
export function trimInvisible(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && TRIMMED_CHARACTER.test(text[start])) start++;
  while (end > start && TRIMMED_CHARACTER.test(text[end - 1])) end--;
  return text.slice(start, end);
}

/** The first invisible character, as `U+200B`. */
export function findInvisible(text: string): string | undefined {
  const [character] = text.match(INVISIBLE_CHARACTERS) ?? [];
  return character && `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, '');
}
