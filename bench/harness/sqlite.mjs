import { join } from 'node:path';
import Database from 'libsql';

/** A database file; the service creates its tables, and they are filled before it starts. */
export async function startSqlite(folder) {
  const file = join(folder, 'bench.sqlite');
  const use = (work) => {
    const database = new Database(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const { version } = use((database) => database.prepare('SELECT sqlite_version() AS version').get());

  return {
    name: 'sqlite',
    url: `sqlite:${file}`,
    version: `SQLite ${version} (libsql), WAL, synchronous = FULL`,
    query: async (sql, values = []) =>
      use((database) => {
        const statement = database.prepare(sql);
        return statement.reader ? statement.all(...values) : statement.run(...values);
      }),
    settle: async () => use((database) => database.pragma('wal_checkpoint(TRUNCATE)')),
    stop: async () => {},
  };
}
