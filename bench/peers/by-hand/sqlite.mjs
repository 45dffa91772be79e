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
  const statements = {
    rows: async (sql, values) => statement(sql).all(...values),
    insert: async (sql, values) => Number(statement(sql).run(...values).lastInsertRowid),
    change: async (sql, values) => statement(sql).run(...values).changes,
  };
  return {
    orderedJoin: 'CROSS JOIN',
    shard: '0',
    addUp:
      'ON CONFLICT (account_id, list, shard) DO UPDATE SET inserted = inserted + excluded.inserted, updated = updated + excluded.updated',
    ...statements,
    transaction: (work) => inTurn(() => transaction(database, statements, work)),
  };
}

let last = Promise.resolve();

/** One transaction at a time on the only connection. */
function inTurn(run) {
  const result = last.then(run);
  last = result.catch(() => {});
  return result;
}

async function transaction(database, statements, work) {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = await work(statements);
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
