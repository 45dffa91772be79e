import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsWhere, IsNull, MoreThan, type Repository } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { DAY_MS, timestamp } from '../platform/common/time';
import type { WriteContext } from '../platform/common/write-context';
import { logAuditedEvent } from '../platform/database/events/event-log';
import { rowLock } from '../platform/database/row-lock';
import { type Transaction, WriteExecutor } from '../platform/database/writes/transactions';
import { SecretsCipher } from '../platform/secrets/secrets-cipher';
import { EventScopeChecks } from './handler-hooks';
import type { SigningSecretRecord } from './notification-handler.dto';
import { NotificationHandler, SigningSecret } from './notification-handler.entity';
import { RecordNotFound } from '../platform/common/errors';

/** Maximum number of secrets that sign: the current one and two replaced ones. */
export const MAX_SIGNING_SECRETS = 3;
/** How long a replaced secret still signs. */
const OVERLAP_MS = DAY_MS;

/** The secrets that sign the requests of webhooks: `whsec_` and base64, as in Standard Webhooks. */
@Injectable()
export class SigningSecretsService {
  constructor(
    @InjectRepository(SigningSecret) private readonly secrets: Repository<SigningSecret>,
    private readonly executor: WriteExecutor,
    private readonly cipher: SecretsCipher,
    private readonly scopeChecks: EventScopeChecks,
    private readonly clock: Clock,
  ) {}

  /** Returns the current secret, which it creates if there is none. @throws RecordNotFound, also for a handler of another type */
  async find(context: WriteContext, handlerId: number): Promise<SigningSecretRecord> {
    const [secret] = await this.findSigning(context, handlerId);
    return { secret };
  }

  /** Returns the secrets that sign now, newest first. Creates one if there is none. @throws RecordNotFound */
  async findSigning(context: WriteContext, handlerId: number): Promise<string[]> {
    const found = await this.read(context.accountId, handlerId);
    if (found.length > 0) return found;
    await this.executor.runOnce(context, async (transaction) => {
      await lockWebhook(transaction.manager, context, handlerId);
      const current = await transaction.manager.existsBy(SigningSecret, currentOf(handlerId));
      if (!current) await this.insert(transaction, context, handlerId, newSecret());
      return handlerId;
    });
    const created = await this.read(context.accountId, handlerId);
    if (created.length === 0) throw notFound(); // deleted since
    return created;
  }

  /** Creates a new secret. At most two replaced ones still sign, each for a day. @throws RecordNotFound, also for another type */
  async replace(context: WriteContext, handlerId: number): Promise<SigningSecretRecord> {
    const secret = newSecret();
    await this.executor.runOnce(context, async (transaction) => {
      const { manager } = transaction;
      await lockWebhook(manager, context, handlerId);
      await this.scopeChecks.require(transaction, context, handlerId);
      await manager.update(SigningSecret, currentOf(handlerId), { replaced_datetime: this.now });
      await this.insert(transaction, context, handlerId, secret);
      const all = await manager.find(SigningSecret, { where: { handler_id: handlerId }, order: { id: 'DESC' } });
      const stillSigns = ({ replaced_datetime: replaced }: SigningSecret) => replaced === null || replaced > this.expiry;
      await manager.remove(all.filter((each, index) => index >= MAX_SIGNING_SECRETS || !stillSigns(each)));
      return handlerId;
    });
    return { secret };
  }

  /** Deletes a handler's secrets, since only webhooks have any. Call in the transaction that changes its type. */
  async drop({ manager }: Transaction, handlerId: number): Promise<void> {
    await manager.delete(SigningSecret, { handler_id: handlerId });
  }

  /** Secrets replaced at or before this time no longer sign. */
  get expiry(): string {
    return timestamp(this.clock.now() - OVERLAP_MS);
  }

  private get now(): string {
    return timestamp(this.clock.now());
  }

  private async read(accountId: number, handlerId: number): Promise<string[]> {
    const ofHandler = { account_id: accountId, handler_id: handlerId };
    const where = [IsNull(), MoreThan(this.expiry)].map((replaced_datetime) => ({ ...ofHandler, replaced_datetime }));
    const found = await this.secrets.find({ where, order: { id: 'DESC' }, take: MAX_SIGNING_SECRETS });
    return found.map(({ secret }) => this.cipher.decrypt(secret, accountId));
  }

  private async insert(transaction: Transaction, context: WriteContext, handlerId: number, secret: string): Promise<void> {
    const { accountId } = context;
    const row = { account_id: accountId, handler_id: handlerId, secret: this.cipher.encrypt(secret, accountId), datetime: this.now };
    await transaction.manager.insert(SigningSecret, row);
    await logAuditedEvent(transaction, context, { action: 'create', record: 'signing secret', recordId: handlerId });
  }
}

/** Locks the webhook, so that of concurrent first uses, in any process, only one creates a secret. @throws RecordNotFound */
async function lockWebhook(manager: EntityManager, { accountId }: WriteContext, id: number): Promise<void> {
  const where = { account_id: accountId, id, type: 'webhook' as const };
  if (!(await manager.findOne(NotificationHandler, { select: { id: true }, where, lock: rowLock(manager) }))) throw notFound();
}

function currentOf(handlerId: number): FindOptionsWhere<SigningSecret> {
  return { handler_id: handlerId, replaced_datetime: IsNull() };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function notFound(): RecordNotFound {
  return new RecordNotFound('notification handler');
}
