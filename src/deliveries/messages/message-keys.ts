import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { SECOND_MS } from '../../common/time';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { type CreateMessage, DEFAULT_DEDUP_SECONDS, MAX_DEDUP_SECONDS } from './message.dto';

const INSERT = 'INSERT INTO message_keys (key_hash, account_id, message_id, until) VALUES (?, ?, 0, 0)';
const FIND = 'SELECT message_id, until FROM message_keys WHERE key_hash = ?';
const ASSIGN = 'UPDATE message_keys SET message_id = ?, until = ? WHERE key_hash = ?';
const COUNT = 'UPDATE messages SET repeats = repeats + 1 WHERE id = ? AND account_id = ?';

/** Finds messages that repeat an earlier one. */
@Injectable()
export class MessageKeys {
  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /**
   * The message that this one repeats, which counts it, if there is one. Locks the key until the transaction ends, so that of messages sent
   * at once one is the first.
   */
  async findRepeated(statements: SqlExecutor, accountId: number, { dedup_key: key }: CreateMessage): Promise<number | undefined> {
    if (key === undefined) return undefined;
    const hash = hashOf(accountId, key);
    await statements.write(`${INSERT} ${this.dialect.sql.upsertPrefix('key_hash')} message_id = message_id`, [hash, accountId]);
    const [[messageId, until]] = await statements.read<[messageId: number, until: number]>(FIND, [hash]);
    const left = until - this.clock.now();
    if (left <= 0 || left > MAX_DEDUP_SECONDS * SECOND_MS) return undefined; // further ahead only if a clock was
    const { affected } = await statements.write(COUNT, [messageId, accountId]);
    return affected === 1 ? messageId : undefined;
  }

  /** Makes a new message the one that others repeat. */
  async assign(statements: SqlExecutor, accountId: number, messageId: number, message: CreateMessage): Promise<void> {
    const { dedup_key: key, dedup_seconds: seconds = DEFAULT_DEDUP_SECONDS } = message;
    if (key === undefined) return;
    await statements.write(ASSIGN, [messageId, this.clock.now() + seconds * SECOND_MS, hashOf(accountId, key)]);
  }
}

function hashOf(accountId: number, key: string): string {
  return createHash('sha256').update(`${accountId} ${key}`).digest('hex');
}
