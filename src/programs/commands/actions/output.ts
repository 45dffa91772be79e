/** Calls back at the first SIGINT or SIGTERM; a second one ends the process. Returns a function that stops listening. */
export function onInterrupt(interrupt: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'];
  const stop = () => signals.forEach((signal) => process.off(signal, handle));
  const handle = () => {
    stop();
    interrupt();
  };
  signals.forEach((signal) => process.on(signal, handle));
  return stop;
}

export type ListRow = Record<string, string | string[] | number | boolean | null>;

/** Prints rows as JSON or as a table. */
export function printList(rows: ListRow[], json?: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length > 0) process.stdout.write(formatTable(rows));
}

/** Prints text that must not be lost. @throws the system's error when it can't be written, instead of exiting as the command line does */
export function printSafely(text: string): Promise<void> {
  process.stdout.removeAllListeners('error').on('error', () => undefined);
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints a line for each field, and an empty line. */
export function printFields(fields: ListRow): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  const lines = Object.entries(fields).map(([name, value]) => `${name.padEnd(width)}  ${String(value ?? '-')}`);
  process.stdout.write(`${lines.map((line) => `${line.trimEnd()}\n`).join('')}\n`);
}

/** Prints to standard error, to keep standard output clean for pipes. */
export function printNotice(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** `1 record`, `2 records`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function formatTable(rows: ListRow[]): string {
  const columns = Object.keys(rows[0]);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '-')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  const lines = cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index])).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
