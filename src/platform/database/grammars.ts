/** Part of a statement, with the values of its parameters. */
interface Fragment<V> {
  readonly sql: string;
  readonly values: readonly V[];
}

/** The clauses in which the databases' SQL differs. */
export abstract class SqlGrammar {
  /** Join keyword that keeps the written table order. */
  abstract readonly orderedJoin: string;

  /** Locking clause of a SELECT. */
  abstract readonly forUpdate: string;

  /** Like `forUpdate`, but skips rows that another transaction has locked. */
  abstract readonly forUpdateSkipLocked: string;

  /** Expression whose value usually differs between concurrent transactions. */
  abstract readonly shard: string;

  /** Query for the tables and columns that reference the table in its parameter, also those without an entity. */
  abstract readonly references: string;

  /** A SELECT with ORDER BY and LIMIT, as a member of a UNION. */
  abstract limited(select: string): string;

  /** Index hint after a table's name, for when the planner would choose a far slower index. */
  abstract forceIndex(name: string): string;

  /** Condition that a column has this value; suited to keyset pagination by `column, id`. */
  abstract equals(column: string, value: number): Fragment<number>;

  /** Condition for rows whose columns sort after these values; suited to an index. */
  abstract isAfter<V>(columns: readonly [string, string], values: readonly [V, V]): Fragment<V>;

  /** Condition that a column contains a non-empty text; suited to searching a whole list. */
  abstract contains(column: string): string;

  /** Upsert clause, up to its assignments. */
  abstract upsertPrefix(key: string): string;

  /** A column's inserted value, in an upsert's assignment. */
  protected abstract inserted(column: string): string;

  /** Condition for an account's rows, suited to keyset pagination by `account_id, id`. */
  ofAccount(accountId: number): Fragment<number> {
    return this.equals('account_id', accountId);
  }

  /** Upsert clause that sets these columns to the inserted values. */
  upsertClause(key: string, columns: readonly string[]): string {
    return `${this.upsertPrefix(key)} ${columns.map((column) => `${column} = ${this.inserted(column)}`).join(', ')}`;
  }

  /** Upsert clause that adds the inserted values to these columns. */
  upsertSums(key: string, columns: readonly string[]): string {
    return `${this.upsertPrefix(key)} ${columns.map((column) => `${column} = ${column} + ${this.inserted(column)}`).join(', ')}`;
  }
}

/** SQLite has one writer, so nothing is locked or sharded. */
export class SqliteGrammar extends SqlGrammar {
  readonly orderedJoin = 'CROSS JOIN';
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly shard = '0';
  readonly references = `SELECT tables.name, key."from" FROM sqlite_master tables, pragma_foreign_key_list(tables.name) key
    WHERE tables.type = 'table' AND key."table" = ?`;
  limited = (select: string) => `SELECT * FROM (${select})`;
  forceIndex = (name: string) => `INDEXED BY ${name}`;
  equals = (column: string, value: number) => ({ sql: `${column} = ?`, values: [value] });
  isAfter = <V>(columns: readonly [string, string], values: readonly [V, V]) => ({ sql: `(${columns.join(', ')}) > (?, ?)`, values });
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
  /** MariaDB takes far less time than for derived tables (64 SELECTs of five rows: 4.9 ms instead of 8.4). */
  limited = (select: string) => `(${select})`;
  forceIndex = (name: string) => `FORCE INDEX (${name})`;
  upsertPrefix = () => 'ON DUPLICATE KEY UPDATE';
  /** MySQL deprecates VALUES() in favor of a row alias, which MariaDB lacks. */
  protected inserted = (column: string) => `VALUES(${column})`;

  /** A range, because with `=` MariaDB may read the account from its start for each page (half a million rows: 47 ms instead of 0.4). */
  equals = (column: string, value: number) => ({ sql: `${column} >= ? AND ${column} <= ?`, values: [value, value] });

  /** Not a row comparison, for which neither server reads a range of the index (a million records: 280 ms instead of 0.6). */
  isAfter = <V>([first, second]: readonly [string, string], [value, id]: readonly [V, V]) => ({
    sql: `(${first} > ? OR (${first} = ? AND ${second} > ?))`,
    values: [value, value, id],
  });

  /** Compares bytes, which takes a sixth less time than characters (a million records on MariaDB: 530 ms instead of 640). */
  contains = (column: string) => `INSTR(CAST(${column} AS BINARY), ?) > 0`;
}
