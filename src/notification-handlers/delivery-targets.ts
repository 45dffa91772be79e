import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { SharedRuns } from '../common/shared-runs';
import { operatorContext } from '../common/write-context';
import { Dialect, type SqlReader } from '../database/dialect';
import { inList } from '../database/value-lists';
import { SecretsCipher } from '../secrets/secrets-cipher';
import type { ChannelType, Settings } from './channels';
import { SigningSecretsService } from './signing-secrets.service';

/** The parts of a handler that deliveries use. */
export interface DeliveryTarget {
  id: number;
  accountId: number;
  type: ChannelType;
  name: string;
  isEnabled: boolean;
  /** Decrypts: a missing key fails the attempt, not the batch. @throws Error */
  settings: () => Settings;
  /** Newest first; creates a webhook's first one. None for other types. @throws Error when a key is missing */
  signingSecrets: () => Promise<string[]>;
}

/** Enough to choose a message's handlers. */
export type HandlerType = Pick<DeliveryTarget, 'id' | 'type'>;

type HandlerRow = [id: number, accountId: number, type: ChannelType, name: string, isEnabled: number, settings: string];

const FIND = 'SELECT id, account_id, type, name, is_enabled, settings FROM notification_handlers WHERE id IN ';
const FIND_ENABLED = 'SELECT id, type FROM notification_handlers WHERE account_id = ? AND is_enabled = 1';

/** Reads handlers for deliveries. */
@Injectable()
export class DeliveryTargets {
  constructor(
    private readonly dialect: Dialect,
    private readonly cipher: SecretsCipher,
    private readonly secrets: SigningSecretsService,
  ) {}

  /** By id, in any account; missing handlers are left out. */
  async find(handlerIds: readonly number[]): Promise<Map<number, DeliveryTarget>> {
    if (handlerIds.length === 0) return new Map();
    const list = inList(handlerIds);
    const rows = await this.dialect.read<HandlerRow>(FIND + list.sql, list.values);
    const webhooks = rows.filter(([, , type]) => type === 'webhook').map(([id]) => id);
    const secrets = await this.secrets.findEncrypted(webhooks);
    return new Map(rows.map((row) => [row[0], this.targetOf(row, secrets.get(row[0]) ?? [])]));
  }

  /** The first `max` by id. */
  async findEnabled(statements: SqlReader, accountId: number, max: number): Promise<HandlerType[]> {
    const rows = await statements.read<[number, ChannelType]>(`${FIND_ENABLED} ORDER BY id LIMIT ?`, [accountId, max]);
    return rows.map(([id, type]) => ({ id, type }));
  }

  /** Those of `ids` that are enabled handlers of the account. */
  async findEnabledAmong(statements: SqlReader, accountId: number, ids: readonly number[]): Promise<HandlerType[]> {
    if (ids.length === 0) return [];
    const { sql, values } = inList(ids);
    const rows = await statements.read<[number, ChannelType]>(`${FIND_ENABLED} AND id IN ${sql} ORDER BY id`, [accountId, ...values]);
    return rows.map(([id, type]) => ({ id, type }));
  }

  private targetOf([id, accountId, type, name, isEnabled, settings]: HandlerRow, secrets: string[]): DeliveryTarget {
    return {
      ...{ id, accountId, type, name, isEnabled: isEnabled === 1 },
      settings: memoize(() => JSON.parse(this.cipher.decrypt(settings, accountId)) as Settings),
      signingSecrets: memoize(async () => {
        if (type !== 'webhook') return [];
        if (secrets.length === 0) return this.secrets.findSigning(operatorContext(accountId), id);
        return secrets.map((secret) => this.cipher.decrypt(secret, accountId));
      }),
    };
  }
}

/** Deliveries of a batch may share a handler. */
function memoize<T>(compute: () => T): () => T {
  let result: { value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}

/** Cancels the deliveries that wait for a handler which was disabled or got another type. */
export type HandlerListener = (accountId: number, handlerId: number) => Promise<void>;

/** A million deliveries take longer. */
const MAX_WAIT_MS = 2_000;

/** Announces, in the background, that a handler may have been disabled or got another type. */
@Injectable()
export class HandlerWithdrawals {
  private readonly logger = new Logger(HandlerWithdrawals.name);
  private readonly listeners: HandlerListener[] = [];
  private readonly runs = new SharedRuns<void>();

  listen(listener: HandlerListener): void {
    this.listeners.push(listener);
  }

  /** After the update. Returns whether all listeners finished in time; they continue in the background. */
  announce(accountId: number, handlerId: number): Promise<boolean> {
    const work = this.runs
      .run(`${accountId} ${handlerId}`, () => this.callListeners(accountId, handlerId))
      .then(
        () => true,
        (error: unknown) => {
          this.logger.warn({ message: 'Deliveries of a withdrawn handler are cancelled when they are due.', err: error });
          return false;
        },
      );
    return Promise.race([work, sleep(MAX_WAIT_MS, false, { ref: false })]);
  }

  private async callListeners(accountId: number, handlerId: number): Promise<void> {
    for (const listener of this.listeners) await listener(accountId, handlerId);
  }
}
