import { createPool } from 'mysql2/promise';

const CONNECTIONS = 10; // as many as the service

/** Prepared statements: text statements were a sixth to a quarter slower on lists and reads, and equal on writes. */
export function connect(url) {
  const pool = createPool({ uri: url, connectionLimit: CONNECTIONS, charset: 'utf8mb4_bin' });
  return {
    orderedJoin: 'STRAIGHT_JOIN',
    shard: 'CONNECTION_ID() % 32',
    addUp: 'ON DUPLICATE KEY UPDATE inserted = inserted + VALUES(inserted), updated = updated + VALUES(updated)',
    ...statementsOf(pool),
    transaction: (work) => transaction(pool, work),
  };
}

function statementsOf(connection) {
  return {
    rows: async (sql, values) => (await connection.execute(sql, values))[0],
    insert: async (sql, values) => (await connection.execute(sql, values))[0].insertId,
    change: async (sql, values) => (await connection.execute(sql, values))[0].affectedRows,
  };
}

async function transaction(pool, work) {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const result = await work(statementsOf(connection));
    await connection.commit();
    return result;
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}
