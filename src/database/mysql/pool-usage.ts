import type { Pool } from 'mysql2';
import type { PoolUsage } from '../dialect';

/** The driver keeps them under these names, and has no others. */
interface Queues {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

export function usageOf(pool: Pool): PoolUsage {
  const { _allConnections, _freeConnections, _connectionQueue } = pool as unknown as Queues;
  return { open: _allConnections.length, idle: _freeConnections.length, waiting: _connectionQueue.length };
}
