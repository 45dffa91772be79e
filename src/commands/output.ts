import { Option } from 'commander';

export type Listed = Record<string, string | string[] | number | boolean | null> & { id: number; name: string };

export const JSON_OPTION = new Option('--json', 'print JSON');

/** Prints records for a program, as JSON, or for a person, as a table. */
export function printList(rows: Listed[], json?: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length > 0) process.stdout.write(table(rows));
}

export function printCreated(row: Listed, sentence: string, json?: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(row)}\n` : `${sentence}\n`);
}

/** For what accompanies the output proper: standard output stays clean for the next program. */
export function printNotice(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

function table(rows: Listed[]): string {
  const columns = Object.keys(rows[0]);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '-')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, index) => cell.padEnd(widths[index]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
