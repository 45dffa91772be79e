/** The cells of a CSV record; `open` when its last quoted cell continues on the next line. */
export type Cells = { cells: string[] } | { open: true } | { problem: string };

const QUOTED = ' *"([^"]*(?:""[^"]*)*)';

/** RFC 4180, plus spaces around a quoted cell. Most records have no quotation mark and are just split. */
export function parseCells(text: string, delimiter: string): Cells {
  if (!text.includes('"')) return { cells: text.split(delimiter) };
  const end = `(?=${delimiter}|$)`;
  const pattern = new RegExp(`${QUOTED}"\\s*?${end}|([^"${delimiter}]*)${end}|(${QUOTED}$)`, 'y');
  const cells: string[] = [];
  for (;;) {
    const match = pattern.exec(text);
    if (!match) return { problem: 'has a quotation mark in the middle of a cell' };
    const [, quoted, plain, open] = match;
    if (open !== undefined) return { open: true };
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (pattern.lastIndex === text.length) return { cells };
    pattern.lastIndex++; // past the delimiter
  }
}

export function encodeCell(value: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
