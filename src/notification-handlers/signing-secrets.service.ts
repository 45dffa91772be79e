import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { DAY_MS, timestamp } from '../platform/common/time';
import type { WriteContext } from '../platform/common/write-context';
import { audit } from '../platform/database/events/audit';
import { Dialect, type SqlExecutor } from '../platform/database/dialect';
import { RecordNotFound } from '../platform/database/records/records';
import { WriteExecutor } from '../platform/database/writes/transactions';
import { SecretsCipher } from '../platform/secrets/secrets-cipher';
import { HandlerGuards } from './handler-hooks';
import type { SigningSecretRecord } from './notification-handler.dto';

/** Maximum number of secrets that sign: the current one and two replaced ones. */
export const MAX_SIGNING = 3;
/** How long a replaced secret still signs. */
const OVERLAP_MS = DAY_MS;

/** Condition on secrets that still sign; its parameter is `expiry`. */
export const SIGNS = '(replaced_datetime IS NULL OR replaced_datetime > ?)';
/** Only webhooks have secrets: a handler's are dropped when its type changes. */
const FIND_SIGNING = `SELECT secret FROM signing_secrets WHERE account_id = ? AND handler_id = ? AND ${SIGNS} ORDER BY id DESC LIMIT ${MAX_SIGNING}`;
const FIND_WEBHOOK = "SELECT id FROM notification_handlers WHERE account_id = ? AND id = ? AND type = 'webhook'";
const FIND_CURRENT = 'SELECT id FROM signing_secrets WHERE handler_id = ? AND replaced_datetime IS NULL';
const INSERT = 'INSERT INTO signing_secrets (account_id, handler_id, secret, datetime) VALUES (?, ?, ?, ?)';
const RETIRE = 'UPDATE signing_secrets SET replaced_datetime = ? WHERE handler_id = ? AND replaced_datetime IS NULL';
const FIND_EXCESS = `SELECT id FROM signing_secrets WHERE handler_id = ? ORDER BY id DESC LIMIT 1 OFFSET ${MAX_SIGNING}`;
const DELETE_UNUSED = 'DELETE FROM signing_secrets WHERE handler_id = ? AND (id <= ? OR replaced_datetime <= ?)';

/** The secrets that sign the requests of webhooks: `whsec_` and base64, as in Standard Webhooks. */
@Injectable()
export class SigningSecretsService {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly cipher: SecretsCipher,
    private readonly guards: HandlerGuards,
    private readonly clock: Clock,
  ) {}

  /** The current secret, created if there is none. @throws RecordNotFound, also for a handler of another type */
  async find(context: WriteContext, handlerId: number): Promise<SigningSecretRecord> {
    const [secret] = await this.findSigning(context, handlerId);
    return { secret };
  }

  /** The secrets that sign now, newest first. Creates one if there is none. @throws RecordNotFound */
  async findSigning(context: WriteContext, handlerId: number): Promise<string[]> {
    const found = await this.read(context.accountId, handlerId);
    if (found.length > 0) return found;
    await this.executor.runOnce(context, async (statements) => {
      await this.lockWebhook(statements, context, handlerId);
      const [current] = await statements.read(FIND_CURRENT, [handlerId]);
      if (!current) await this.insert(statements, context, handlerId, newSecret());
      return handlerId;
    });
    const made = await this.read(context.accountId, handlerId);
    if (made.length === 0) throw notFound(); // deleted since
    return made;
  }

  /** Creates a new secret. At most two replaced ones still sign, each for a day. @throws RecordNotFound, also for another type */
  async replace(context: WriteContext, handlerId: number): Promise<SigningSecretRecord> {
    const secret = newSecret();
    await this.executor.runOnce(context, async (statements) => {
      await this.lockWebhook(statements, context, handlerId);
      await this.guards.require(statements, context, handlerId);
      await statements.write(RETIRE, [this.now, handlerId]);
      await this.insert(statements, context, handlerId, secret);
      const [excess] = await statements.read(FIND_EXCESS, [handlerId]);
      await statements.write(DELETE_UNUSED, [handlerId, excess?.[0] ?? 0, this.expiry]);
      return handlerId;
    });
    return { secret };
  }

  /** Deletes a handler's secrets. Call in the transaction that changes its type. */
  async drop(statements: SqlExecutor, handlerId: number): Promise<void> {
    await statements.write('DELETE FROM signing_secrets WHERE handler_id = ?', [handlerId]);
  }

  /** Secrets replaced at or before this time no longer sign. */
  get expiry(): string {
    return timestamp(this.clock.now() - OVERLAP_MS);
  }

  private get now(): string {
    return timestamp(this.clock.now());
  }

  private async read(accountId: number, handlerId: number): Promise<string[]> {
    const rows = await this.dialect.read<[string]>(FIND_SIGNING, [accountId, handlerId, this.expiry]);
    return rows.map(([secret]) => this.cipher.decrypt(secret, accountId));
  }

  /** Locks the webhook, so that of concurrent first uses, in any process, only one creates a secret. @throws RecordNotFound */
  private async lockWebhook(statements: SqlExecutor, { accountId }: WriteContext, id: number): Promise<void> {
    const [webhook] = await statements.read(FIND_WEBHOOK + this.dialect.sql.forUpdate, [accountId, id]);
    if (!webhook) throw notFound();
  }

  private async insert(statements: SqlExecutor, context: WriteContext, handlerId: number, secret: string): Promise<void> {
    const { accountId } = context;
    await statements.write(INSERT, [accountId, handlerId, this.cipher.encrypt(secret, accountId), this.now]);
    await audit(statements, context, { action: 'create', record: 'signing secret', recordId: handlerId });
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function notFound(): RecordNotFound {
  return new RecordNotFound('notification handler');
}
