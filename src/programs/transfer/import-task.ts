import type { DataSource } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import type { RecordColumns } from '../../platform/common/records';
import type { Dialect } from '../../platform/database/dialect';
import type { BadRecords } from './output-files';
import type { RecordFile } from './record-file';

export interface ImportTask {
  collection: RecordColumns;
  accountId: number;
  records: RecordFile;
  /** Receives bad records; without it, one bad record rejects the file. */
  bad?: BadRecords;
  isDryRun?: boolean;
  isInterrupted: () => boolean;
  dataSource: DataSource;
  dialect: Dialect;
}

export interface CheckResult {
  read: number;
  bad: number;
  badNumbers: Set<number>;
  /** Valid records with an id, and without. */
  withId: number;
  withoutId: number;
}

export interface Summary {
  read: number;
  inserted: number;
  updated: number;
  bad: number;
}

const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5_000;
const BAR_WIDTH = 30;

/** Progress on standard error: a bar on a terminal, otherwise a line every few seconds. */
export class Progress {
  private readonly clock = new Clock();
  private readonly start = this.clock.monotonic();
  private last = this.start;

  constructor(
    private readonly verb: string,
    private readonly output: NodeJS.WriteStream = process.stderr,
  ) {}

  /** `fraction` of the file, from 0 to 1, when known. */
  update(records: number, fraction?: number): void {
    const now = this.clock.monotonic();
    if (now - this.last < (this.output.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS)) return;
    this.last = now;
    const text = this.text(records, fraction, (now - this.start) / 1_000);
    this.output.write(this.output.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  /** Prints a line in place of the bar. */
  print(line: string): void {
    this.clear();
    this.output.write(`${line}\n`);
  }

  clear(): void {
    if (this.output.isTTY) this.output.write('\r\u001b[K');
  }

  private text(records: number, fraction: number | undefined, seconds: number): string {
    const rate = `${Math.round(records / seconds).toLocaleString('en')} a second`;
    const text = `${this.verb} ${records.toLocaleString('en')} records, ${rate}`;
    if (!fraction) return text;
    const bar = '█'.repeat(Math.round(fraction * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
    const left = Math.ceil((seconds * (1 - fraction)) / fraction);
    return `${this.output.isTTY ? `${bar} ` : ''}${Math.floor(fraction * 100)} % ${text}, ${left} s left`;
  }
}
