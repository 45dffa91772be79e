import { type MigrationInterface, type QueryRunner, TableColumn, TableIndex } from 'typeorm';
import { fold } from '../../common/fold-text';
import { bigint, integer, key, NewTables, varchar } from './columns';

export class Deletions1795226400000 extends NewTables {
  protected tables = [{ name: 'deletions', columns: [key(integer('account_id')), key(varchar('list', 64)), integer('number')] }];
}

const NAMED = ['notification_handlers', 'notifications'];
const INDEXES: [table: string, column: string][] = [
  ...['host', 'datetime', 'last_datetime'].map((column): [string, string] => ['domains', column]),
  ...NAMED.flatMap((table) => ['name_folded', 'type', 'datetime', 'last_datetime'].map((column): [string, string] => [table, column])),
  ['messages', 'datetime'],
  ['deliveries', 'datetime'],
];
const BATCH = 500;

/** Folded names, and indexes to order lists by. */
export class ListColumns1795440000000 implements MigrationInterface {
  derived = NAMED.map((table) => `${table}.name_folded`);

  async up(runner: QueryRunner): Promise<void> {
    for (const table of NAMED) {
      await runner.addColumn(table, new TableColumn({ ...varchar('name_folded', 384), default: "''" }));
      await foldNames(runner, table);
    }
    for (const [table, column] of INDEXES) await runner.createIndex(table, indexOf(column));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of INDEXES) await runner.dropIndex(table, indexOf(column));
    for (const table of NAMED) await runner.dropColumn(table, 'name_folded');
  }
}

function indexOf(column: string): TableIndex {
  return new TableIndex({ columnNames: ['account_id', column] });
}

async function foldNames(runner: QueryRunner, table: string): Promise<void> {
  for (let lastId = 0; ;) {
    const rows: { id: number; name: string }[] = await runner.query(
      `SELECT id, name FROM ${table} WHERE id > ? ORDER BY id LIMIT ${BATCH}`,
      [lastId],
    );
    if (rows.length === 0) return;
    lastId = rows[rows.length - 1].id;
    const cases = rows.map(() => 'WHEN ? THEN ?').join(' ');
    const ids = rows.map(() => '?').join(', ');
    const values = rows.flatMap(({ id, name }) => [id, fold(name)]);
    await runner.query(`UPDATE ${table} SET name_folded = CASE id ${cases} END WHERE id IN (${ids})`, [
      ...values,
      ...rows.map(({ id }) => id),
    ]);
  }
}

const CHANGES_KEY = [integer('account_id'), varchar('list', 64), integer('shard')].map(key);
const COUNTERS = ['inserted', 'deleted', 'updated', 'uncounted'].map(bigint);

/** Counts of changes per account and list. `deletions` stays for the previous version's processes, which still write to it. */
export class ListChanges1795461000000 extends NewTables {
  derived = ['list_changes'];
  protected tables = [{ name: 'list_changes', columns: [...CHANGES_KEY, ...COUNTERS] }];
}
