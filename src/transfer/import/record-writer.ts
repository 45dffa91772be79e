import type { EntityManager } from 'typeorm';
import type { Dialect } from '../../database/dialect';
import { type ColumnValue, NOW, type RecordColumns } from '../../common/record-columns';
import type { CheckedRecord } from './account-check';

type Row = Record<string, ColumnValue>;

/** Writes records, the columns that follow from others with them. */
export class RecordWriter {
  private readonly defaults: Row;

  constructor(
    private readonly collection: RecordColumns,
    private readonly accountId: number,
    private readonly dialect: Dialect,
    now: string,
  ) {
    const optional = collection.columns.filter(({ fallback }) => fallback !== undefined);
    this.defaults = Object.fromEntries(optional.map((column) => [column.name, column.fallback === NOW ? now : column.fallback!]));
  }

  async write(records: CheckedRecord[], manager: EntityManager): Promise<void> {
    const known = records.filter(({ id, exists }) => id !== undefined && !exists);
    const fresh = records.filter(({ id }) => id === undefined);
    await this.insert(known, true, manager);
    await this.insert(fresh, false, manager);
    for (const updated of alike(records.filter(({ exists }) => exists))) {
      const columns = this.withFolded(Object.keys(updated[0].values));
      await this.insert(updated, true, manager, this.dialect.onConflict(this.collection.id.column, columns));
    }
  }

  private async insert(records: CheckedRecord[], withId: boolean, manager: EntityManager, ending = ''): Promise<void> {
    if (records.length === 0) return;
    const { name: table, id, columns } = this.collection;
    const names = [...(withId ? [id.column] : []), 'account_id', ...this.withFolded(columns.map(({ name }) => name))];
    const rows = records.map((record) => [...(withId ? [record.id!] : []), ...this.valuesOf(record)]);
    await this.dialect.insert(manager, table, names, rows, ending);
  }

  private withFolded(names: string[]): string[] {
    const folded = new Set(this.collection.columns.filter(({ fold }) => fold).map(({ name }) => name));
    return names.flatMap((name) => (folded.has(name) ? [name, `${name}_folded`] : name));
  }

  private valuesOf({ values }: CheckedRecord): ColumnValue[] {
    const row: ColumnValue[] = [this.accountId];
    for (const { name, fold } of this.collection.columns) {
      const value = name in values ? values[name] : this.defaults[name];
      row.push(value);
      if (fold) row.push(fold(String(value)));
    }
    return row;
  }
}

/** Records that give the same columns: what a record leaves out stays as it is. */
function alike(records: CheckedRecord[]): Iterable<CheckedRecord[]> {
  const groups = new Map<string, CheckedRecord[]>();
  for (const record of records) {
    const columns = Object.keys(record.values).join();
    const group = groups.get(columns);
    if (group) group.push(record);
    else groups.set(columns, [record]);
  }
  return groups.values();
}
