import type { DataSource, EntityManager } from 'typeorm';
import { type ColumnValue, NOW, type RecordColumn, type RecordColumns } from '../../platform/common/records';
import { inList } from '../../platform/database/value-lists';
import { type CheckResult, type ImportTask, Progress } from './import-task';
import { type ParsedRecord, readRecord } from './record-reader';
import { TransferError, type SourceRecord } from './source';

const MAX_PRINTED_PROBLEMS = 100;

/** Checks every record of a file and prints its problems, without writing to the database. @throws TransferError */
export async function checkFile(task: ImportTask): Promise<CheckResult> {
  const { records, bad, dataSource, isInterrupted } = task;
  const check = new ImportCheck(task);
  const progress = new Progress('Checked');
  const result: CheckResult = { read: 0, bad: 0, badNumbers: new Set(), withId: 0, withoutId: 0 };
  let problemCount = 0;
  const reject = async ({ source, problems }: CheckedRecord) => {
    result.bad++;
    result.badNumbers.add(source.number);
    for (const { column, reason } of problems) {
      if (++problemCount <= MAX_PRINTED_PROBLEMS) progress.print(`record ${source.number}: ${column ? `${column} ` : ''}${reason}.`);
    }
    await bad?.add(source);
  };
  try {
    for await (const chunk of records.chunks()) {
      if (isInterrupted()) throw new TransferError('Interrupted during the check: nothing was imported.');
      for (const record of await check.check(chunk, dataSource.manager)) {
        if (record.problems.length > 0) await reject(record);
        else if (record.id === undefined) result.withoutId++;
        else result.withId++;
      }
      result.read += chunk.length;
      progress.update(result.read, records.fractionRead);
    }
    await bad?.close();
  } catch (error) {
    await bad?.discard();
    throw error;
  } finally {
    progress.clear();
  }
  if (problemCount > MAX_PRINTED_PROBLEMS) progress.print(`… and ${problemCount - MAX_PRINTED_PROBLEMS} more.`);
  return result;
}

type OwnedRow = { id: number; account_id: number };

/** Columns whose values, taken together, are unique. */
interface UniqueKey {
  columns: readonly RecordColumn[];
  /** Whether values are unique per account only. */
  isPerAccount: boolean;
}

/** The unique indexes of the collection's entity; they identify records without an id. */
export function uniqueKeys({ name, columns }: RecordColumns, { entityMetadatas }: DataSource): UniqueKey[] {
  const entities = entityMetadatas.filter(({ tableName }) => tableName === name);
  const keys = entities.flatMap(({ indices, uniques }) => [...indices.filter(({ isUnique }) => isUnique), ...uniques]);
  return keys.flatMap((key) => {
    const names = key.columns.map(({ databaseName }) => databaseName);
    const own = columns.filter((column) => names.includes(column.name));
    const isPerAccount = names.includes('account_id');
    return own.length > 0 && own.length === names.length - Number(isPerAccount) ? [{ columns: own, isPerAccount }] : [];
  });
}

/** `exists`: updated rather than inserted. */
export interface CheckedRecord extends ParsedRecord {
  exists: boolean;
}

const DUPLICATE = 'appears in the file more than once';

/** Checks the records of one pass over a file against each other and against the database. */
export class ImportCheck {
  private readonly collection: RecordColumns;
  private readonly accountId: number;
  private readonly ids = new Set<number>();
  private readonly unique: { key: UniqueKey; seen: Set<string> }[];
  private readonly references: { column: RecordColumn; knownIds: Set<number> }[];

  constructor({ collection, accountId, dataSource }: ImportTask) {
    this.collection = collection;
    this.accountId = accountId;
    const { columns } = collection;
    this.unique = uniqueKeys(collection, dataSource).map((key) => ({ key, seen: new Set() }));
    this.references = columns.filter(({ reference }) => reference).map((column) => ({ column, knownIds: new Set() }));
  }

  async check(records: SourceRecord[], manager: EntityManager): Promise<CheckedRecord[]> {
    const parsed = records.map((record) => readRecord(record, this.collection));
    for (const { column, knownIds } of this.references) await this.checkReferences(column, knownIds, parsed, manager);
    for (const { key, seen } of this.unique) await this.checkUnique(key, seen, parsed, manager);
    return this.checkIds(parsed, manager);
  }

  private async checkReferences({ name, reference }: RecordColumn, knownIds: Set<number>, records: ParsedRecord[], manager: EntityManager) {
    const { table, id } = reference!;
    const wanted = new Set(records.map(({ values }) => Number(values[name])).filter((value) => value > 0 && !knownIds.has(value)));
    const rows = await findOwners(manager, table, id, [...wanted]);
    for (const row of rows) if (row.account_id === this.accountId) knownIds.add(row.id);
    for (const { values, problems } of records) {
      const value = Number(values[name]);
      if (value > 0 && !knownIds.has(value)) problems.push({ column: name, reason: `must be the id of a record of ${table}` });
    }
  }

  /** A record without an id gets the id of the account's record with the same unique values. */
  private async checkUnique({ columns, isPerAccount }: UniqueKey, seen: Set<string>, records: ParsedRecord[], manager: EntityManager) {
    const column = columns.map(({ name }) => name).join(' and ');
    const isSingle = columns.length === 1;
    const holders = await this.findHolders(columns, isPerAccount, records, manager);
    for (const record of records) {
      const values = uniqueKeyOf(columns, record);
      if (!values) continue;
      const identity = identityOf(values);
      if (seen.has(identity)) {
        record.problems.push({ column, reason: isSingle ? DUPLICATE : 'appear in the file more than once' });
        continue;
      }
      seen.add(identity);
      const holder = holders.get(identity);
      const isOwn = holder?.account_id === this.accountId;
      if (isOwn) record.id ??= holder.id;
      if (holder && !(isOwn && holder.id === record.id))
        record.problems.push({ column, reason: `${isSingle ? 'is' : 'are'} taken by another record` });
    }
  }

  /** Records by unique values. SQL compares each column separately, so that every database uses an index, and may find partial matches. */
  private async findHolders(columns: readonly RecordColumn[], isPerAccount: boolean, records: ParsedRecord[], manager: EntityManager) {
    const { name: table, id } = this.collection;
    const wanted = records.flatMap((record) => uniqueKeyOf(columns, record) ?? []);
    if (wanted.length === 0) return new Map<string, OwnedRow>();
    const names = columns.map(({ name }) => name);
    const lists = names.map((_, index) => inList(wanted.filter((__, position) => position % names.length === index)));
    const conditions = [...(isPerAccount ? ['account_id = ?'] : []), ...names.map((name, index) => `${name} IN ${lists[index].sql}`)];
    const sql = `SELECT ${id.column} AS id, account_id, ${names.join(', ')} FROM ${table} WHERE ${conditions.join(' AND ')}`;
    const found = await manager.query<(OwnedRow & Record<string, ColumnValue>)[]>(sql, [
      ...(isPerAccount ? [this.accountId] : []),
      ...lists.flatMap(({ values }) => values),
    ]);
    return new Map<string, OwnedRow>(found.map((row) => [identityOf(names.map((name) => row[name])), row]));
  }

  private async checkIds(records: ParsedRecord[], manager: EntityManager): Promise<CheckedRecord[]> {
    const { name: table, id: key } = this.collection;
    const wanted = records.flatMap(({ id }) => id ?? []);
    const rows = await findOwners(manager, table, key.column, wanted);
    const accounts = new Map(rows.map(({ id, account_id }) => [id, account_id]));
    return records.map((record) => {
      const { id, problems } = record;
      if (id === undefined) return { ...record, exists: false };
      const account = accounts.get(id);
      const isTaken = account !== undefined && account !== this.accountId;
      if (isTaken) problems.push({ column: key.name, reason: 'is taken; without an id the record gets a new one' });
      if (this.ids.has(id)) problems.push({ column: key.name, reason: DUPLICATE });
      this.ids.add(id);
      return { ...record, exists: account !== undefined };
    });
  }
}

/** Undefined if a value is null, which is never a duplicate, or is missing in the file, so that the stored value is kept. */
function uniqueKeyOf(columns: readonly RecordColumn[], { id, values }: ParsedRecord): (string | number)[] | undefined {
  const all = columns.map(({ name, fallback }) => (name in values || id !== undefined ? values[name] : fallback));
  return all.every((value) => value !== undefined && value !== null && value !== NOW) ? all : undefined;
}

function identityOf(values: readonly ColumnValue[]): string {
  return values.join('\0'); // unambiguous, since no text has a control character
}

async function findOwners(manager: EntityManager, table: string, id: string, values: readonly number[]): Promise<OwnedRow[]> {
  if (values.length === 0) return [];
  const list = inList(values);
  return manager.query<OwnedRow[]>(`SELECT ${id} AS id, account_id FROM ${table} WHERE ${id} IN ${list.sql}`, list.values);
}
