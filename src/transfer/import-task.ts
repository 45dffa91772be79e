import type { DataSource } from 'typeorm';
import type { RecordColumns } from '../common/records';
import type { Dialect } from '../database/dialect';
import type { Transactions } from '../database/writes/transactions';
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
}

export interface Database {
  dataSource: DataSource;
  dialect: Dialect;
  transactions: Transactions;
}

/** Result of checking a file. */
export interface CheckResult {
  read: number;
  bad: number;
  /** First lines of the bad records. */
  badLines: IntegerSet;
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

const PAGE_BITS = 15;
const PAGE_MASK = (1 << PAGE_BITS) - 1;

/** A set of integers from 0 to 2^31-1, as a paged bitmap: ids are dense. */
export class IntegerSet {
  private readonly pages = new Map<number, Int32Array>();

  has(integer: number): boolean {
    const page = this.pages.get(integer >>> PAGE_BITS);
    return page !== undefined && (page[(integer & PAGE_MASK) >>> 5] & (1 << (integer & 31))) !== 0;
  }

  /** Whether it was absent. */
  add(integer: number): boolean {
    if (this.has(integer)) return false;
    const page = this.pages.get(integer >>> PAGE_BITS) ?? new Int32Array(1 << (PAGE_BITS - 5));
    this.pages.set(integer >>> PAGE_BITS, page);
    page[(integer & PAGE_MASK) >>> 5] |= 1 << (integer & 31);
    return true;
  }
}
