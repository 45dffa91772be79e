import type { EntityManager } from 'typeorm';
import type { RecordColumn, RecordColumns } from '../common/records';
import { type CheckResult, type ImportTask, IntegerSet, Progress } from './import-task';
import { CHUNK } from './record-file';
import { type ParsedRecord, readRecord } from './record-reader';
import { FileError, type SourceRecord } from './source';

const MAX_SHOWN = 100;

/** Checks every record of a file and prints its problems, without writing to the database. */
export class CheckPass {
  private readonly result: CheckResult = { read: 0, bad: 0, badLines: new IntegerSet(), withId: 0, withoutId: 0 };
  private readonly progress = new Progress('Checked');
  private problems = 0;

  constructor(
    private readonly task: ImportTask,
    private readonly manager: EntityManager,
  ) {}

  /** @throws FileError */
  async run(): Promise<CheckResult> {
    const { collection, accountId, records, bad, isInterrupted } = this.task;
    const check = new AccountCheck(collection, accountId);
    try {
      for await (const chunk of records.chunks()) {
        if (isInterrupted()) throw new FileError('Interrupted during the check: nothing was imported.');
        for (const record of await check.check(chunk, this.manager)) {
          if (record.problems.length > 0) await this.reject(record);
          else if (record.id === undefined) this.result.withoutId++;
          else this.result.withId++;
        }
        this.result.read += chunk.length;
        this.progress.update(this.result.read, records.fractionRead);
      }
      await bad?.close();
    } catch (error) {
      await bad?.discard();
      throw error;
    } finally {
      this.progress.clear();
    }
    if (this.problems > MAX_SHOWN) this.progress.print(`… and ${this.problems - MAX_SHOWN} more.`);
    return this.result;
  }

  private async reject({ source, problems }: CheckedRecord): Promise<void> {
    this.result.bad++;
    this.result.badLines.add(source.line);
    for (const { column, reason } of problems) {
      if (++this.problems <= MAX_SHOWN) this.progress.print(`line ${source.line}: ${column ? `${column} ` : ''}${reason}.`);
    }
    await this.task.bad?.add(source, this.task.records.header);
  }
}

type Owned = { id: number; account_id: number };

/** `exists` means an update rather than an insert. */
export interface CheckedRecord extends ParsedRecord {
  exists: boolean;
}

const PLACEHOLDERS = Array.from({ length: CHUNK }, () => '?').join(', ');
const DUPLICATE = 'appears in the file more than once';

/** Checks the records of one pass over a file against each other and against the database. */
export class AccountCheck {
  private readonly ids = new IntegerSet();
  private readonly unique: { name: string; seen: Set<string> }[];
  private readonly references: { column: RecordColumn; known: IntegerSet }[];

  constructor(
    private readonly collection: RecordColumns,
    private readonly accountId: number,
  ) {
    const { columns } = collection;
    this.unique = columns.filter(({ isUnique }) => isUnique).map(({ name }) => ({ name, seen: new Set() }));
    this.references = columns.filter(({ reference }) => reference).map((column) => ({ column, known: new IntegerSet() }));
  }

  /** At most CHUNK records. */
  async check(records: SourceRecord[], manager: EntityManager): Promise<CheckedRecord[]> {
    const parsed = records.map((record) => readRecord(record, this.collection));
    for (const { column, known } of this.references) await this.checkReferences(column, known, parsed, manager);
    for (const { name, seen } of this.unique) await this.checkUnique(name, seen, parsed, manager);
    return this.checkIds(parsed, manager);
  }

  private async checkReferences({ name, reference }: RecordColumn, known: IntegerSet, records: ParsedRecord[], manager: EntityManager) {
    const { table, id } = reference!;
    const wanted = new Set(records.map(({ values }) => Number(values[name])).filter((value) => value > 0 && !known.has(value)));
    const found = await selectIn<Owned>(manager, `SELECT ${id} AS id, account_id FROM ${table}`, id, [...wanted]);
    for (const row of found) if (row.account_id === this.accountId) known.add(row.id);
    for (const { values, problems } of records) {
      const value = Number(values[name]);
      if (value > 0 && !known.has(value)) problems.push({ column: name, reason: `must be the id of a record of ${table}` });
    }
  }

  /** A record without an id takes the id of the account's record with the same unique value. */
  private async checkUnique(column: string, seen: Set<string>, records: ParsedRecord[], manager: EntityManager): Promise<void> {
    const { name: table, id } = this.collection;
    const wanted = records.flatMap(({ values }) => values[column] ?? []);
    const sql = `SELECT ${id.column} AS id, account_id, ${column} AS value FROM ${table}`;
    const found = await selectIn<Owned & { value: string }>(manager, sql, column, wanted);
    const holders = new Map(found.map((row) => [row.value, row]));
    for (const record of records) {
      const value = record.values[column];
      if (typeof value !== 'string') continue;
      if (seen.has(value)) {
        record.problems.push({ column, reason: DUPLICATE });
        continue;
      }
      seen.add(value);
      const holder = holders.get(value);
      const isOwn = holder?.account_id === this.accountId;
      if (isOwn) record.id ??= holder.id;
      if (holder && !(isOwn && holder.id === record.id)) record.problems.push({ column, reason: 'is taken by another record' });
    }
  }

  private async checkIds(records: ParsedRecord[], manager: EntityManager): Promise<CheckedRecord[]> {
    const { name: table, id: key } = this.collection;
    const wanted = records.flatMap(({ id }) => id ?? []);
    const found = await selectIn<Owned>(manager, `SELECT ${key.column} AS id, account_id FROM ${table}`, key.column, wanted);
    const accounts = new Map(found.map(({ id, account_id }) => [id, account_id]));
    return records.map((record) => {
      const { id, problems } = record;
      if (id === undefined) return { ...record, exists: false };
      const account = accounts.get(id);
      const isTaken = account !== undefined && account !== this.accountId;
      if (isTaken) problems.push({ column: key.name, reason: 'is taken; without an id the record gets a new one' });
      if (!this.ids.add(id)) problems.push({ column: key.name, reason: DUPLICATE });
      return { ...record, exists: account !== undefined };
    });
  }
}

/** Pads the values to CHUNK, so that one prepared statement serves any number of them. */
async function selectIn<T>(manager: EntityManager, select: string, column: string, values: readonly (string | number)[]): Promise<T[]> {
  if (values.length === 0) return [];
  const padding = Array.from({ length: CHUNK - values.length }, () => values[0]);
  return manager.query<T[]>(`${select} WHERE ${column} IN (${PLACEHOLDERS})`, [...values, ...padding]);
}
