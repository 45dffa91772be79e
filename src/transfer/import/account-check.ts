import type { EntityManager } from 'typeorm';
import type { RecordColumn, RecordColumns } from '../../common/record-columns';
import { IntegerSet } from './integer-set';
import type { Draft } from './record-reader';
import { selectAmong } from './select-among';

type Owned = { id: number; account_id: number };

/** A record as it can be written, but for its problems: `exists` tells an update from an insertion. */
export interface CheckedRecord extends Draft {
  exists: boolean;
}

/** Holds the records of one pass over a file to each other and to what the database holds. */
export class AccountCheck {
  private readonly ids = new IntegerSet();
  private readonly unique: { column: RecordColumn; values: Set<string> }[];
  private readonly references: { column: RecordColumn; known: IntegerSet }[];

  constructor(
    private readonly collection: RecordColumns,
    private readonly accountId: number,
  ) {
    const { columns } = collection;
    this.unique = columns.filter(({ isUnique }) => isUnique).map((column) => ({ column, values: new Set() }));
    this.references = columns.filter(({ reference }) => reference).map((column) => ({ column, known: new IntegerSet() }));
  }

  async check(drafts: Draft[], manager: EntityManager): Promise<CheckedRecord[]> {
    for (const { column, known } of this.references) await this.checkReferences(column, known, drafts, manager);
    for (const { column, values } of this.unique) await this.checkUnique(column, values, drafts, manager);
    return this.checkIds(drafts, manager);
  }

  private async checkReferences(column: RecordColumn, known: IntegerSet, drafts: Draft[], manager: EntityManager): Promise<void> {
    const { table, id } = column.reference!;
    const asked = new Set(drafts.map(({ values }) => Number(values[column.name])).filter((value) => value > 0 && !known.has(value)));
    const found = await selectAmong<Owned>(manager, `SELECT ${id} AS id, account_id FROM ${table}`, id, [...asked]);
    for (const row of found) if (row.account_id === this.accountId) known.add(row.id);
    for (const { values, problems } of drafts) {
      const value = Number(values[column.name]);
      if (value > 0 && !known.has(value)) problems.push({ column: column.name, reason: `must be the id of a record of ${table}` });
    }
  }

  /** A record without an id is the one that has its key. */
  private async checkUnique({ name }: RecordColumn, seen: Set<string>, drafts: Draft[], manager: EntityManager): Promise<void> {
    const { name: table, id } = this.collection;
    const asked = drafts.flatMap(({ values }) => values[name] ?? []);
    const sql = `SELECT ${id.column} AS id, account_id, ${name} AS value FROM ${table}`;
    const found = await selectAmong<Owned & { value: string }>(manager, sql, name, asked);
    const byValue = new Map(found.map((row) => [row.value, row]));
    for (const draft of drafts) {
      const value = draft.values[name];
      if (typeof value !== 'string') continue;
      if (seen.has(value)) {
        draft.problems.push({ column: name, reason: 'stands in the file more than once' });
        continue;
      }
      seen.add(value);
      const holder = byValue.get(value);
      if (holder?.account_id === this.accountId) draft.id ??= holder.id;
      if (holder && (holder.account_id !== this.accountId || holder.id !== draft.id)) {
        draft.problems.push({ column: name, reason: 'is taken by another record' });
      }
    }
  }

  private async checkIds(drafts: Draft[], manager: EntityManager): Promise<CheckedRecord[]> {
    const { name: table, id: key } = this.collection;
    const asked = drafts.flatMap(({ id }) => id ?? []);
    const found = await selectAmong<Owned>(manager, `SELECT ${key.column} AS id, account_id FROM ${table}`, key.column, asked);
    const accounts = new Map(found.map(({ id, account_id }) => [id, account_id]));
    return drafts.map((draft) => {
      const account = draft.id === undefined ? undefined : accounts.get(draft.id);
      const isTaken = account !== undefined && account !== this.accountId;
      if (isTaken) draft.problems.push({ column: key.name, reason: 'is taken; without an id the record gets a new one' });
      if (draft.id !== undefined && !this.ids.add(draft.id)) {
        draft.problems.push({ column: key.name, reason: 'stands in the file more than once' });
      }
      return { ...draft, exists: account !== undefined };
    });
  }
}
