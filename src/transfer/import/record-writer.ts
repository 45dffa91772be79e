import type { EntityManager } from 'typeorm';
import { type ColumnValue, NOW, type RecordColumns } from '../../common/record-columns';
import type { Dialect } from '../../database/dialect';
import type { CheckedRecord } from './account-check';

/** Writes records with their defaults and folded columns. */
export class RecordWriter {
  private readonly defaults: Record<string, ColumnValue>;
  private readonly updateTimes: Record<string, ColumnValue>;

  constructor(
    private readonly collection: RecordColumns,
    private readonly accountId: number,
    private readonly dialect: Dialect,
    now: string,
  ) {
    const defaults = collection.columns.map(({ name, fallback = null }) => [name, fallback === NOW ? now : fallback] as const);
    this.defaults = Object.fromEntries(defaults);
    this.updateTimes = Object.fromEntries(collection.columns.filter(({ isUpdateTime }) => isUpdateTime).map(({ name }) => [name, now]));
  }

  async write(records: CheckedRecord[], manager: EntityManager): Promise<void> {
    const known: CheckedRecord[] = [];
    const fresh: CheckedRecord[] = [];
    const updated: Record<string, CheckedRecord[]> = {}; // by the columns given: an absent one keeps its value
    for (const given of records) {
      const record = given.exists ? { ...given, values: { ...this.updateTimes, ...given.values } } : given;
      const group = record.exists ? (updated[Object.keys(record.values).join()] ??= []) : record.id === undefined ? fresh : known;
      group.push(record);
    }
    await this.insert(known, manager);
    await this.insert(fresh, manager);
    for (const group of Object.values(updated)) {
      const columns = this.withFolded(Object.keys(group[0].values));
      await this.insert(group, manager, this.dialect.upsertClause(this.collection.id.column, columns));
    }
  }

  /** All with an id, or all without. */
  private async insert(records: CheckedRecord[], manager: EntityManager, suffix = ''): Promise<void> {
    if (records.length === 0) return;
    const { name: table, id, columns } = this.collection;
    const key = records[0].id === undefined ? [] : [id.column];
    const names = [...key, 'account_id', ...this.withFolded(columns.map(({ name }) => name))];
    const rows = records.map((record) => this.rowOf(record));
    await this.dialect.insert(manager, table, names, rows, suffix);
  }

  private withFolded(names: string[]): string[] {
    const folded = new Set(this.collection.columns.filter(({ fold }) => fold).map(({ name }) => name));
    return names.flatMap((name) => (folded.has(name) ? [name, `${name}_folded`] : name));
  }

  private rowOf({ id, values }: CheckedRecord): ColumnValue[] {
    const row: ColumnValue[] = id === undefined ? [this.accountId] : [id, this.accountId];
    for (const { name, fold } of this.collection.columns) {
      const value = name in values ? values[name] : this.defaults[name];
      row.push(value);
      if (fold) row.push(fold(String(value)));
    }
    return row;
  }
}
