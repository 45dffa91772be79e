import Database from 'libsql';

/** Long, because the service writes, too. */
const LOCK_MILLISECONDS = 30_000;

/** Runs a statement on the file while the service runs, as another process would. */
export function queryFile(file, sql, values = []) {
  const database = new Database(file, { timeout: LOCK_MILLISECONDS });
  try {
    const statement = database.prepare(sql);
    return statement.reader ? statement.all(...values) : { insertId: Number(statement.run(...values).lastInsertRowid) };
  } finally {
    database.close();
  }
}
