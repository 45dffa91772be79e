import { createHash } from 'node:crypto';
import type { RowDataPacket } from 'mysql2';
import { type ConnectionOptions, createConnection } from 'mysql2/promise';

const WAIT_SECONDS = 120;

/** Runs the work while this process holds the migration lock, on a connection of its own: the lock ends with it. */
export async function holdingMigrationLock(options: ConnectionOptions, work: () => Promise<void>): Promise<void> {
  const connection = await createConnection(options);
  try {
    const [[{ name }]] = await connection.query<RowDataPacket[]>('SELECT DATABASE() AS name');
    const [[{ held }]] = await connection.query<RowDataPacket[]>('SELECT GET_LOCK(?, ?) AS held', [lockName(name as string), WAIT_SECONDS]);
    if (Number(held) !== 1) throw new Error(`The migration lock was not free within ${WAIT_SECONDS} s.`);
    await work();
  } finally {
    await connection.end();
  }
}

/**
 * Locks are the server's, so the name includes the database, hashed to stay within MySQL's 64 characters. Earlier versions
 * had the server hash it by SHA1(), which MySQL 9.6 removed: the same hash, so that both wait for each other in an upgrade.
 */
function lockName(database: string): string {
  return `frontdesk.${createHash('sha1').update(database).digest('hex')}`;
}
