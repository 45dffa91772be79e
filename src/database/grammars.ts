import { SqlGrammar, type Value } from './dialect';

/** SQLite has one writer, so nothing is locked or sharded. */
export class SqliteGrammar extends SqlGrammar {
  readonly orderedJoin = 'CROSS JOIN';
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly shard = '0';
  readonly references = `SELECT tables.name, key."from" FROM sqlite_master tables, pragma_foreign_key_list(tables.name) key
    WHERE tables.type = 'table' AND key."table" = ?`;
  forceIndex = (name: string) => `INDEXED BY ${name}`;
  equals = (column: string, value: number) => ({ sql: `${column} = ?`, values: [value] });
  isAfter = (columns: readonly [string, string], values: readonly Value[]) => ({ sql: `(${columns.join(', ')}) > (?, ?)`, values });
  contains = (column: string) => `INSTR(${column}, ?) > 0`;
  upsertPrefix = (key: string) => `ON CONFLICT (${key}) DO UPDATE SET`;
  protected inserted = (column: string) => `excluded.${column}`;
}

export class MysqlGrammar extends SqlGrammar {
  readonly orderedJoin = 'STRAIGHT_JOIN';
  readonly forUpdate = ' FOR UPDATE';
  readonly forUpdateSkipLocked = ' FOR UPDATE SKIP LOCKED';
  /** A pool's connections have consecutive ids. Galera gives each node an offset, so that no two nodes lock the same row. */
  readonly shard = 'CONNECTION_ID() % 32 * @@auto_increment_increment + @@auto_increment_offset';
  readonly references = `SELECT table_name, column_name FROM information_schema.key_column_usage
    WHERE table_schema = DATABASE() AND referenced_table_schema = DATABASE() AND referenced_table_name = ?`;
  forceIndex = (name: string) => `FORCE INDEX (${name})`;
  upsertPrefix = () => 'ON DUPLICATE KEY UPDATE';
  /** MySQL deprecates VALUES() in favor of a row alias, which MariaDB lacks. */
  protected inserted = (column: string) => `VALUES(${column})`;

  /** A range, because with `=` MariaDB may read the account from its start for each page (half a million rows: 47 ms instead of 0.4). */
  equals = (column: string, value: number) => ({ sql: `${column} >= ? AND ${column} <= ?`, values: [value, value] });

  /** Not a row comparison, for which neither server reads a range of the index (a million records: 280 ms instead of 0.6). */
  isAfter = ([first, second]: readonly [string, string], [value, id]: readonly [Value, Value]) => ({
    sql: `(${first} > ? OR (${first} = ? AND ${second} > ?))`,
    values: [value, value, id],
  });

  /** Compares bytes, which takes a sixth less time than characters (a million records on MariaDB: 530 ms instead of 640). */
  contains = (column: string) => `INSTR(CAST(${column} AS BINARY), ?) > 0`;
}
