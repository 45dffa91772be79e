import type { DataSource } from 'typeorm';
import type { RecordColumns } from '../../common/record-columns';
import type { Dialect } from '../../database/dialect';
import type { Transactions } from '../../database/writes/transactions';
import type { RecordFile } from '../formats/record-file';
import type { BadRecords } from './bad-records';
import type { IntegerSet } from './integer-set';

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
