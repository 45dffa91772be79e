import type { SqlExecutor } from '../../platform/database/dialect';
import type { Domain } from '../domain.entity';

const COLUMNS = 'account_id, domain_id, host, status, is_by_operator, started, checks, due, misses, problems';

const INSERT = `INSERT INTO domain_verifications (${COLUMNS}) VALUES (?, ?, ?, 'pending', 0, ?, 0, ?, 0, '[]')`;

/** Inserts a verification for a domain that has none. Parameters: the time, twice, and the domain's id. */
export const INSERT_IF_MISSING = `INSERT INTO domain_verifications (${COLUMNS})
  SELECT account_id, id, host, 'pending', 0, ?, 0, ?, 0, '[]' FROM domains
  WHERE id = ? AND NOT EXISTS (SELECT 1 FROM domain_verifications WHERE domain_id = domains.id)`;

/**
 * Call in the transaction that creates the domain. Hand-written SQL, because TypeORM's makes creating domains measurably slower
 * (bench/HISTORY.md).
 */
export function insertVerification(
  statements: SqlExecutor,
  { account_id, id, host }: Pick<Domain, 'id' | 'account_id' | 'host'>,
): Promise<void> {
  const now = statements.clock.now();
  return statements.writeLast(INSERT, [account_id, id, host, now, now]);
}
