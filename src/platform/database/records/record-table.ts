import type { Type } from '@nestjs/common';
import type { ColumnType, EntityMetadata } from 'typeorm';
import { recordFields, type Versioned, versionOf } from '../../common/records';
import { fold } from '../../common/fold-text';
import type { WriteContext } from '../../common/write-context';
import { type NewEvent, checkNoun } from '../events/event-log';
import type { DescribedEvent, EventText } from '../events/event-types';
import type { RowValues, Value } from '../dialect';
import type { Transaction } from '../writes/transactions';

/** Values by column name. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** How a table of records differs from the default. */
export interface TableOptions<R = unknown> {
  /** A record's name in error messages, the audit log and event types, with spaces: `coupon upload`. Derived from the entity's class by default. */
  readonly noun?: string;
  /** By column: maps the stored value to the one that is hashed into the record's version. */
  readonly versionedAs?: Readonly<Record<string, (value: string) => string>>;
  /** The actions that the feed shows; by default `create`, `update` and `delete`. */
  readonly events?: readonly string[];
  /** The record as GET returns it to a caller with the scopes that `may` accepts; null if they may not read it. Defaults to the stored record. */
  present?(record: R, accountId: number, may: (scope: string) => boolean): object | null | Promise<object | null>;
  /** The class of the objects that `present` returns, unless it is the stored record's class or a subclass. */
  readonly presentedAs?: Type;
  /**
   * Describes an event for people, with a link if there is one; undefined for the default. `current` is the record as its read route
   * shows it, null if it has been deleted.
   */
  describeEvent?(event: DescribedEvent, current: R | null, accountId: number): EventText | undefined | Promise<EventText | undefined>;
  /** False if records are updated too often for their updates to be counted. Filtered totals, orders and texts are then not cached. */
  readonly countsUpdates?: boolean;
}

/** Writes to other tables in the transaction that writes a record. May return additional data for the record's event. */
export type RecordHook = (transaction: Transaction, id: number, context: WriteContext) => Promise<Pick<NewEvent, 'host' | 'data'> | void>;

/** Hooks that run before and after a record's INSERT, in its transaction. If `before` throws, nothing is inserted. */
export interface InsertHooks {
  before?: (transaction: Transaction, accountId: number) => Promise<void>;
  after?: RecordHook;
}

type ColumnMetadata = EntityMetadata['columns'][number];

/** Values to write, by column name. */
type Assignments = Map<string, Value>;

/** The column `<name>_folded` holds the folded text of the column `<name>`, for searching and ordering. */
export const FOLDED_SUFFIX = '_folded';

/** Columns that `Records` sets on insert and on update, if the entity has them. */
export const CREATED_COLUMN = 'datetime';
export const UPDATED_COLUMN = 'last_datetime';

/** One table, described by its entity's metadata: SQL takes column names from there, never from an input's keys. */
export class RecordTable<R> {
  readonly name: string;
  /** A record's name in error messages and the audit log, such as `notification handler`. */
  readonly noun: string;
  /** SELECT list of a record's visible columns. */
  readonly columns: string;
  /** `columns` plus the hidden columns, which only affect the version. */
  readonly allColumns: string;
  readonly toRecord: (row: RowValues) => R;
  readonly countsUpdates: boolean;
  /** Columns by which an index orders an account's records. */
  readonly indexedColumns: ReadonlySet<string>;
  private readonly versionColumns: string[];
  private readonly writableColumns: ReadonlyMap<string, ColumnMetadata>;
  private readonly defaults: ColumnValues;

  /** @throws Error when a field is not a column, when a column isn't supported, or when the noun is too long for the audit log */
  constructor(
    private readonly entity: EntityMetadata,
    /** The class that declares the visible columns. */
    readonly record: Type,
    readonly options: TableOptions<R> = {},
  ) {
    const fields = recordFields(record);
    const columns = new Map(entity.columns.map((column) => [column.databaseName, column]));
    columns.delete('account_id');
    columns.forEach((column) => checkColumn(column, entity.name));
    this.name = entity.tableName;
    this.noun = options.noun ?? entity.name.replace(/(?<=[a-z0-9])[A-Z]/g, ' $&').toLowerCase();
    checkNoun(this.noun);
    this.toRecord = rowMapper(fields.map((name) => columns.get(name) ?? this.throwUnknownColumn(name)));
    this.columns = fields.join(', ');
    this.versionColumns = [...new Set([...fields, ...columns.keys()])].filter((name) => !name.endsWith(FOLDED_SUFFIX));
    this.allColumns = this.versionColumns.join(', ');
    this.writableColumns = new Map([...columns].filter(([, { isGenerated }]) => !isGenerated));
    this.countsUpdates = options.countsUpdates ?? true;
    const indexes = entity.indices.map((index) => index.columns.map(({ databaseName }) => databaseName));
    this.indexedColumns = new Set(indexes.flatMap(([first, second]) => (first === 'account_id' && second ? [second] : [])));
    this.defaults = { ...entity.create() };
  }

  /** Expects a row of `allColumns`. */
  toVersioned(row: RowValues): Versioned<R> {
    const { versionedAs } = this.options;
    const values = versionedAs ? this.versionColumns.map((name, i) => versionedAs[name]?.(String(row[i])) ?? row[i]) : row;
    return { record: this.toRecord(row), version: versionOf(values) };
  }

  /** The values to insert, with the entity's initial values as defaults. */
  insertAssignments(values: ColumnValues, now: string): Assignments {
    const times = this.writableColumns.has(CREATED_COLUMN) ? { [CREATED_COLUMN]: now } : {};
    return this.encode({ ...this.defaults, ...times, ...values });
  }

  /** The values to update, with the update time; empty when no value is given. */
  updateAssignments(values: ColumnValues, now: string): Assignments {
    const assignments = this.encode(values);
    if (assignments.size > 0 && this.writableColumns.has(UPDATED_COLUMN)) assignments.set(UPDATED_COLUMN, now);
    return assignments;
  }

  /** The changed columns that an event names: without the update time and folded copies. */
  changedColumns(assignments: Assignments): string[] {
    return [...assignments.keys()].filter((name) => name !== UPDATED_COLUMN && !name.endsWith(FOLDED_SUFFIX));
  }

  private encode(values: ColumnValues): Assignments {
    const assignments: Assignments = new Map();
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const column = this.writableColumns.get(name) ?? this.throwUnknownColumn(name);
      const isNull = value === null && column.isNullable;
      assignments.set(column.databaseName, isJson(column) && !isNull ? JSON.stringify(value) : (value as Value));
      const isText = typeof value === 'string' || value === null;
      if (isText && this.writableColumns.has(name + FOLDED_SUFFIX)) assignments.set(name + FOLDED_SUFFIX, fold(value ?? ''));
    }
    return assignments;
  }

  private throwUnknownColumn(name: string): never {
    throw new Error(`The entity ${this.entity.name} has no column ${name} that records may read or write.`);
  }
}

/** Column types whose values every database's driver returns as they were written (test/platform/database/records.e2e-spec.ts). */
const TYPE_NAMES = ['varchar', 'text', 'int', 'integer', 'tinyint', 'smallint', 'mediumint', 'bigint', 'double', 'boolean', 'simple-json'];
const SUPPORTED_TYPES: ReadonlySet<ColumnType> = new Set<ColumnType>([...(TYPE_NAMES as ColumnType[]), String, Number, Boolean]);

/** Applies to hidden columns, too, since they are part of the version. @throws Error when `Records` doesn't support the column */
function checkColumn({ databaseName, transformer, type }: ColumnMetadata, entity: string): void {
  const problem = `Records doesn't support the column ${entity}.${databaseName}:`;
  if (transformer) throw new Error(`${problem} its transformer would not run. Convert the value in the service, or use TypeORM.`);
  if (SUPPORTED_TYPES.has(type)) return;
  const name = typeof type === 'function' ? type.name : type;
  const hint = 'A time is a varchar(19), an amount an int in its smallest unit.';
  throw new Error(`${problem} databases return the type ${name} differently. Use ${TYPE_NAMES.join(', ')}, or TypeORM. ${hint}`);
}

/** Returns a function that maps a row to a record. Records start as copies of one object: V8 gives them one shape, and serializes them faster. */
function rowMapper<R>(columns: readonly ColumnMetadata[]): (row: RowValues) => R {
  const names = columns.map(({ databaseName }) => databaseName);
  const decoders = columns.map(decoderOf);
  const empty: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, null]));
  return (row) => {
    const record = { ...empty };
    for (let index = 0; index < names.length; index++) {
      const decode = decoders[index];
      record[names[index]] = decode ? decode(row[index]) : row[index];
    }
    return record as R;
  };
}

/**
 * Drivers return a boolean as 0 or 1, and JSON as text. JSON is parsed, although the response serializes it again: other software may have
 * stored it with different whitespace, escapes, numbers or repeated keys, and a check for these would cost much of what passing the text
 * through would save (bench/HISTORY.md).
 */
function decoderOf(column: ColumnMetadata): ((value: Value) => unknown) | undefined {
  if (isJson(column)) return (value) => JSON.parse(value as string) as object;
  if (column.type !== 'boolean' && column.type !== Boolean) return undefined;
  return (value) => (value === null && column.isNullable ? null : value === 1);
}

function isJson({ type }: ColumnMetadata): boolean {
  return type === 'simple-json';
}
