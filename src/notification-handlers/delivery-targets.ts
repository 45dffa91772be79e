import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { operatorContext } from '../platform/common/write-context';
import { SecretsCipher } from '../platform/secrets/secrets-cipher';
import type { ChannelType, Settings } from './channel-settings';
import { NotificationHandler, SigningSecret } from './notification-handler.entity';
import { MAX_SIGNING_SECRETS, SigningSecretsService } from './signing-secrets.service';

/** The parts of a handler that deliveries use. */
export interface DeliveryTarget {
  id: number;
  accountId: number;
  type: ChannelType;
  name: string;
  accountName: string;
  isEnabled: boolean;
  /** Decrypts when called, so that a missing encryption key fails this attempt, not the batch. @throws Error */
  settings: () => Settings;
  /** Newest first; creates a webhook's first one. Empty for other types. @throws RecordNotFound if deleted, Error as for `settings` */
  signingSecrets: () => Promise<string[]>;
}

/** One row per signing secret, or a single row if there is none. */
interface HandlerRow extends Pick<DeliveryTarget, 'id' | 'accountId' | 'type' | 'name' | 'accountName'> {
  isEnabled: number;
  settings: string;
  secret: string | null;
}

const SECRET_SIGNS = 'secret.handler_id = handler.id AND (secret.replaced_datetime IS NULL OR secret.replaced_datetime > :expiry)';

/** Maximum number of cached plaintexts, a few hundred bytes each. */
const MAX_DECRYPTED = 2_000;

/** Reads handlers for deliveries. */
@Injectable()
export class DeliveryTargets {
  /** Plaintexts by account and ciphertext. Never stale, since every write makes a new ciphertext. */
  private readonly decrypted = new Map<string, string>();

  constructor(
    @InjectRepository(NotificationHandler) private readonly handlers: Repository<NotificationHandler>,
    private readonly cipher: SecretsCipher,
    private readonly secrets: SigningSecretsService,
  ) {}

  /** Maps ids to handlers of any account; missing handlers are omitted. */
  async find(handlerIds: readonly number[]): Promise<Map<number, DeliveryTarget>> {
    if (handlerIds.length === 0) return new Map();
    const rows = await this.handlers
      .createQueryBuilder('handler')
      .innerJoin('handler.account', 'account')
      .leftJoin(SigningSecret, 'secret', SECRET_SIGNS, { expiry: this.secrets.expiry })
      .select(['handler.id AS id', 'account.id AS accountId', 'handler.type AS type', 'handler.name AS name'])
      .addSelect([
        'account.name AS accountName',
        'handler.is_enabled AS isEnabled',
        'handler.settings AS settings',
        'secret.secret AS secret',
      ])
      .where('handler.id IN (:...ids)', { ids: handlerIds })
      .orderBy('secret.id', 'DESC')
      .getRawMany<HandlerRow>();
    const secrets = new Map<number, string[]>(rows.map(({ id }) => [id, []]));
    for (const { id, secret } of rows) if (secret !== null) secrets.get(id)!.push(secret);
    return new Map(rows.map((row) => [row.id, this.targetOf(row, secrets.get(row.id)!.slice(0, MAX_SIGNING_SECRETS))]));
  }

  private targetOf({ id, accountId, type, name, accountName, isEnabled, settings }: HandlerRow, secrets: string[]): DeliveryTarget {
    return {
      id,
      accountId,
      type,
      name,
      accountName,
      isEnabled: isEnabled === 1,
      settings: memoize(() => JSON.parse(this.decrypt(settings, accountId)) as Settings),
      signingSecrets: memoize(async () => {
        if (type !== 'webhook') return [];
        if (secrets.length === 0) return this.secrets.findSigning(operatorContext(accountId), id);
        return secrets.map((secret) => this.decrypt(secret, accountId));
      }),
    };
  }

  private decrypt(value: string, accountId: number): string {
    const key = `${accountId} ${value}`;
    const known = this.decrypted.get(key);
    if (known !== undefined) return known;
    const text = this.cipher.decrypt(value, accountId);
    if (this.decrypted.size >= MAX_DECRYPTED) this.decrypted.clear();
    this.decrypted.set(key, text);
    return text;
  }
}

/** Computes a value once, since deliveries of a batch may share a handler. */
function memoize<T>(compute: () => T): () => T {
  let result: { value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}
