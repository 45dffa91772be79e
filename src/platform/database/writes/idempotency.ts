import { createHash } from 'node:crypto';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Clock } from '../../common/clock';
import { DAY_MS, timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import type { Dialect, SqlExecutor } from '../dialect';
import { RequestError } from '../../common/errors';

/** A completed request, kept for 24 hours under its Idempotency-Key. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  /** SHA-256 of the account and the key. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  key_hash: string;

  @Index()
  @Column({ type: 'int' })
  account_id: number;

  /** HMAC of the request, keyed with its Idempotency-Key. The key itself isn't stored, so the row reveals nothing about the request. */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  /** Id of the record that the request wrote; also returned to repeated requests. */
  @Column({ type: 'int' })
  record_id: number;

  /** See `StoredResult`. */
  @Column({ type: 'boolean', default: false })
  is_repeat: boolean;

  @Index()
  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}

/** The id of the record that a request has written or, if `isRepeat`, of an earlier record with the same content. */
export interface StoredResult {
  id: number;
  isRepeat: boolean;
}

/** How long the result of a request with an Idempotency-Key is kept. */
const RESULT_RETENTION_MS = DAY_MS;
const FIND_RESULT = 'SELECT fingerprint, record_id, is_repeat FROM idempotency_keys WHERE key_hash = ? AND datetime > ?';
const DELETE_EXPIRED = 'DELETE FROM idempotency_keys WHERE key_hash = ? AND datetime <= ?';
const INSERT_KEY = 'INSERT INTO idempotency_keys (key_hash, account_id, fingerprint, record_id, datetime) VALUES (?, ?, ?, 0, ?)';
const STORE_RESULT = 'UPDATE idempotency_keys SET record_id = ?, is_repeat = ? WHERE key_hash = ?';

/** The result stored under the request's Idempotency-Key, if any. @throws RequestError 422 if another request was sent with the key */
export async function findResult(dialect: Dialect, context: WriteContext): Promise<StoredResult | undefined> {
  const [row] = await dialect.read<[fingerprint: string, recordId: number, isRepeat: number]>(FIND_RESULT, [
    hashOf(context),
    expiryCutoff(dialect.clock),
  ]);
  if (row && row[0] !== context.idempotency!.fingerprint)
    throw RequestError.inHeader('idempotency_key_reused', 'This key was sent with another request.', 'Idempotency-Key');
  return row && { id: row[1], isRepeat: row[2] === 1 };
}

/** Inserts the key. Done before the work, to lock out other processes. @throws QueryFailedError if the key exists */
export async function claimKey(statements: SqlExecutor, context: WriteContext): Promise<void> {
  const { clock } = statements;
  const hash = hashOf(context);
  await statements.write(DELETE_EXPIRED, [hash, expiryCutoff(clock)]);
  await statements.write(INSERT_KEY, [hash, context.accountId, context.idempotency!.fingerprint, timestamp(clock.now())]);
}

export async function storeResult(statements: SqlExecutor, context: WriteContext, { id, isRepeat }: StoredResult): Promise<void> {
  await statements.writeLast(STORE_RESULT, [id, Number(isRepeat), hashOf(context)]);
}

/** Results stored at this time or earlier have expired. */
export function expiryCutoff(clock: Clock): string {
  return timestamp(clock.now() - RESULT_RETENTION_MS);
}

function hashOf({ accountId, idempotency }: WriteContext): string {
  return createHash('sha256').update(`${accountId} ${idempotency!.key}`).digest('hex');
}
