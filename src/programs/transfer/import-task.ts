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

/** Result of checking a file. */
export interface CheckResult {
  read: number;
  bad: number;
  /** First lines of the bad records. */
  badLines: Set<number>;
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

const INTERVAL_MS = 5_000;

/** Prints a line of progress on standard error every few seconds. */
export class Progress {
  private readonly clock = new Clock();
  private readonly start = this.clock.monotonic();
  private last = this.start;

  constructor(private readonly verb: string) {}

  /** `fraction` of the file, from 0 to 1. */
  update(records: number, fraction: number): void {
    const now = this.clock.monotonic();
    if (now - this.last < INTERVAL_MS) return;
    this.last = now;
    const seconds = (now - this.start) / 1_000;
    const rate = Math.round(records / seconds).toLocaleString('en');
    const left = Math.ceil((seconds * (1 - fraction)) / fraction);
    const count = records.toLocaleString('en');
    process.stderr.write(`${Math.floor(fraction * 100)} % ${this.verb} ${count} records, ${rate} a second, ${left} s left\n`);
  }
}
