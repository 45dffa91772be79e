/** The cells of a record of a CSV file, or why there are none: `open` asks for the next line. */
export type Cells = { cells: string[] } | { open: true } | { problem: string };

const STRAY = 'has a quotation mark in the middle of a cell';

/** RFC 4180; spaces around a quoted cell are allowed. Most records have no quotation mark, and are cut at the delimiters. */
export function readCells(text: string, delimiter: string): Cells {
  if (!text.includes('"')) return { cells: text.split(delimiter) };
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    const end = delimiterFrom(text, delimiter, at);
    const plain = text.slice(at, end);
    if (!plain.includes('"')) {
      cells.push(plain);
      at = end;
    } else {
      if (!/^ *"/.test(plain)) return { problem: STRAY };
      const start = text.indexOf('"', at) + 1;
      const close = closingQuote(text, start);
      if (close === -1) return { open: true };
      cells.push(text.slice(start, close).replaceAll('""', '"'));
      at = delimiterFrom(text, delimiter, close);
      if (text.slice(close + 1, at).trim() !== '') return { problem: STRAY };
    }
    if (at === text.length) return { cells };
  }
}

/** A cell as a CSV file writes it. */
export function writeCell(value: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function delimiterFrom(text: string, delimiter: string, from: number): number {
  const at = text.indexOf(delimiter, from);
  return at === -1 ? text.length : at;
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at;
  return -1;
}
