import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { versionOf, type Versioned } from '../../common/records';
import { fold } from '../../common/fold-text';
import type { RowValues, SqlExecutor, Value } from '../dialect';
import { checkColumn, compileReader, isJson } from './column-values';
import { FOLDED } from './folded-columns';

/** Values by column name. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** What differs from other tables. */
export interface TableOptions {
  /** Per column, maps the value to the one hashed into the version. */
  readonly versionedAs?: Readonly<Record<string, (value: string) => string>>;
  /** False if records are updated too often to count that: then no filter, order or text of their lists is remembered. */
  readonly countsUpdates?: boolean;
}

/** Writes to other tables in the transaction that writes a record. */
export type RecordHook = (statements: SqlExecutor, id: number) => Promise<void>;

/** Around the INSERT of a record, in its transaction. What the first one throws refuses it. */
export interface InsertHooks {
  before?: (statements: SqlExecutor, accountId: number) => Promise<void>;
  after?: RecordHook;
}

/** Columns to write, and their values in the same order. */
export interface Assignments {
  names: string[];
  values: Value[];
}

/** Set by `Records` on insert and on update, where the entity has them. */
const CREATED = 'datetime';
const UPDATED = 'last_datetime';

/** One table, described by its entity's metadata: SQL takes column names from there, never from an input's keys. */
export class RecordTable<R> {
  readonly name: string;
  /** A record's name in messages and the audit, such as `notification handler`. */
  readonly noun: string;
  /** SELECT list of the columns that a record shows. */
  readonly columns: string;
  /** `columns` plus those that only affect the version. */
  readonly allColumns: string;
  readonly toRecord: (row: RowValues) => R;
  readonly countsUpdates: boolean;
  /** Columns by which an account's records can be read in order. */
  readonly indexed: ReadonlySet<string>;
  private readonly versionColumns: string[];
  private readonly writable: ReadonlyMap<string, ColumnMetadata>;
  private readonly defaults: ColumnValues;

  /** @throws Error when a field is not a column, or when a column can't be carried */
  constructor(
    private readonly entity: EntityMetadata,
    fields: readonly string[],
    private readonly options: TableOptions = {},
  ) {
    const columns = new Map(entity.columns.map((column) => [column.databaseName, column]));
    columns.delete('account_id');
    columns.forEach((column) => checkColumn(column, entity.name));
    this.name = entity.tableName;
    this.noun = entity.name.replace(/(?<=[a-z0-9])[A-Z]/g, ' $&').toLowerCase();
    this.toRecord = compileReader(fields.map((name) => columns.get(name) ?? this.refuse(name)));
    this.columns = fields.join(', ');
    this.versionColumns = [...new Set([...fields, ...columns.keys()])].filter((name) => !name.endsWith(FOLDED));
    this.allColumns = this.versionColumns.join(', ');
    this.writable = new Map([...columns].filter(([, { isGenerated }]) => !isGenerated));
    this.countsUpdates = options.countsUpdates ?? true;
    const indexes = entity.indices.map((index) => index.columns.map(({ databaseName }) => databaseName));
    this.indexed = new Set(indexes.flatMap(([first, second]) => (first === 'account_id' && second ? [second] : [])));
    this.defaults = { ...entity.create() };
  }

  /** Expects a row of `allColumns`. */
  toVersioned(row: RowValues): Versioned<R> {
    const { versionedAs } = this.options;
    const values = versionedAs ? this.versionColumns.map((name, i) => versionedAs[name]?.(String(row[i])) ?? row[i]) : row;
    return { record: this.toRecord(row), version: versionOf(values) };
  }

  /** Columns and values of an INSERT, with the entity's initial values as defaults. */
  inserted(values: ColumnValues, now: string): Assignments {
    const times = this.writable.has(CREATED) ? { [CREATED]: now } : {};
    return this.encode({ ...this.defaults, ...times, ...values });
  }

  /** Columns and values of an UPDATE; empty when no value is given. */
  updated(values: ColumnValues, now: string): Assignments {
    const assignments = this.encode(values);
    if (assignments.names.length > 0 && this.writable.has(UPDATED)) {
      assignments.names.push(UPDATED);
      assignments.values.push(now);
    }
    return assignments;
  }

  private encode(values: ColumnValues): Assignments {
    const assignments: Assignments = { names: [], values: [] };
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const column = this.writable.get(name) ?? this.refuse(name);
      assignments.names.push(column.databaseName);
      assignments.values.push(isJson(column) ? JSON.stringify(value) : (value as Value));
      if (typeof value !== 'string' || !this.writable.has(name + FOLDED)) continue;
      assignments.names.push(name + FOLDED);
      assignments.values.push(fold(value));
    }
    return assignments;
  }

  private refuse(name: string): never {
    throw new Error(`The entity ${this.entity.name} has no column ${name} that a record reads or writes.`);
  }
}
