import Database from 'libsql';

/** Runs a statement on the file while the service runs, as another process would. */
export function queryFile(file, sql, values = []) {
  const database = new Database(file);
  try {
    const statement = database.prepare(sql);
    return statement.reader ? statement.all(...values) : { insertId: Number(statement.run(...values).lastInsertRowid) };
  } finally {
    database.close();
  }
}
