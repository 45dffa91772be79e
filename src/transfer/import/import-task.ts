import type { DataSource } from 'typeorm';
import type { Dialect } from '../../database/dialect';
import type { RecordColumns } from '../../common/record-columns';
import type { Transactions } from '../../database/writes/transactions';
import type { BadRecords } from './bad-records';
import type { IntegerSet } from './integer-set';
import type { FileRecords } from '../formats/record-file';

export interface ImportTask {
  collection: RecordColumns;
  accountId: number;
  records: FileRecords;
  /** How much of the file is read, from 0 to 1. */
  share: () => number;
  /** Where the bad records go; without it nothing is kept when there are any. */
  bad?: BadRecords;
  isDryRun?: boolean;
}

export interface Database {
  dataSource: DataSource;
  dialect: Dialect;
  transactions: Transactions;
}

/** What a check of a whole file has found. */
export interface Verdict {
  read: number;
  badLines: number;
  /** The lines in which a bad record begins. */
  bad: IntegerSet;
  withId: number;
  withoutId: number;
}

/** What has become of the records of a file. */
export interface Summary {
  read: number;
  inserted: number;
  updated: number;
  bad: number;
}
