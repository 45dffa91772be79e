import Database from 'libsql';

/** The service's settings, above all its durability. */
export function connect(url) {
  const database = new Database(url.slice('sqlite:'.length), { timeout: 5_000 });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  const prepared = new Map();
  const statement = (sql) => {
    if (!prepared.has(sql)) prepared.set(sql, database.prepare(sql));
    return prepared.get(sql);
  };
  return {
    orderedJoin: 'CROSS JOIN',
    rows: async (sql, values) => statement(sql).all(...values),
    insert: async (sql, values) => Number(statement(sql).run(...values).lastInsertRowid),
    change: async (sql, values) => statement(sql).run(...values).changes,
  };
}
