import { Option } from 'commander';

export interface JsonOption {
  json?: boolean;
}

export type ListRow = Record<string, string | string[] | number | boolean | null>;

export const JSON_OPTION = new Option('--json', 'print JSON');

/** Prints rows as JSON or as a table. */
export function printList(rows: ListRow[], json?: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length > 0) process.stdout.write(table(rows));
}

export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints to standard error, to keep standard output clean for pipes. */
export function printNotice(text: string): void {
  process.stderr.write(`${text}\n`);
}

function table(rows: ListRow[]): string {
  const columns = Object.keys(rows[0]);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '-')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  const lines = cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index])).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
