import { createHash } from 'node:crypto';
import type { RowDataPacket } from 'mysql2';
import { type ConnectionOptions, createConnection } from 'mysql2/promise';

const TIMEOUT_SECONDS = 120;

/** Runs the work under the migration lock. The lock belongs to a connection of its own, and ends with it. */
export async function withMigrationLock<T>(options: ConnectionOptions, work: () => Promise<T>): Promise<T> {
  const connection = await createConnection(options);
  try {
    const [[{ name }]] = await connection.query<RowDataPacket[]>('SELECT DATABASE() AS name');
    const [[{ held }]] = await connection.query<RowDataPacket[]>('SELECT GET_LOCK(?, ?) AS held', [
      lockName(name as string),
      TIMEOUT_SECONDS,
    ]);
    if (Number(held) !== 1)
      throw new Error(
        `Could not acquire the migration lock within ${TIMEOUT_SECONDS} s. If another process is migrating, wait for it and try again.`,
      );
    return await work();
  } finally {
    await connection.end();
  }
}

/**
 * Locks are server-wide, so the name includes the database, hashed to stay within MySQL's 64 characters. During an upgrade, old
 * and new releases of this service must share the lock: older ones named it with the server's SHA1(), which MySQL 9.6 removed.
 */
function lockName(database: string): string {
  return `frontdesk.${createHash('sha1').update(database).digest('hex')}`;
}
