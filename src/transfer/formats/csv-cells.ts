/** The cells of a CSV record; `open` when its last quoted cell continues on the next line. */
export type Cells = { cells: string[] } | { open: true } | { problem: string };

const QUOTED = ' *"([^"]*(?:""[^"]*)*)';
/** Compiled once per delimiter: a quoted cell, a plain cell, or a quoted cell that is still open. */
const PATTERNS = new Map([',', ';', '\t'].map((delimiter) => [delimiter, cellPattern(delimiter)]));
export const DELIMITERS = [...PATTERNS.keys()];

/** RFC 4180, plus spaces around a quoted cell. Most records have no double quote and are just split. */
export function parseCells(text: string, delimiter: string): Cells {
  if (!text.includes('"')) return { cells: text.split(delimiter) };
  const pattern = PATTERNS.get(delimiter) ?? cellPattern(delimiter);
  pattern.lastIndex = 0;
  const cells: string[] = [];
  for (;;) {
    const match = pattern.exec(text);
    if (!match) return { problem: 'has a double quote in the middle of a cell' };
    const [, quoted, plain, open] = match;
    if (open !== undefined) return { open: true };
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (pattern.lastIndex === text.length) return { cells };
    pattern.lastIndex++; // past the delimiter
  }
}

function cellPattern(delimiter: string): RegExp {
  const end = `(?=${delimiter}|$)`;
  return new RegExp(`${QUOTED}"\\s*?${end}|([^"${delimiter}]*)${end}|(${QUOTED}$)`, 'y');
}

export function encodeCell(value: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
