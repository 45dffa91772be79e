import Database from 'libsql';

/** Runs a statement on a file beside the service, as another process would. */
export function queryFile(file, sql, values = []) {
  const database = new Database(file);
  try {
    const statement = database.prepare(sql);
    return statement.reader ? statement.all(...values) : { insertId: Number(statement.run(...values).lastInsertRowid) };
  } finally {
    database.close();
  }
}
