import { Injectable } from '@nestjs/common';
import { operatorContext } from '../common/write-context';
import { Dialect, type RowValues } from '../database/dialect';
import { idList } from '../database/id-list';
import type { ChannelType, Settings } from './channels';
import { SettingsCipher } from './secrets/settings-cipher';
import { SigningSecretsService } from './signing-secrets/signing-secrets.service';

/** A handler, as a delivery needs it. */
export interface DeliveryTarget {
  id: number;
  accountId: number;
  type: ChannelType;
  name: string;
  isEnabled: boolean;
  /** Decrypts: a missing key fails the attempt, not the batch. @throws Error */
  settings: () => Settings;
  /** Newest first; none before the first use, nor for types other than webhook. @throws Error when a key is missing */
  signingSecrets: () => string[];
}

/** What the choice of a message's handlers needs. */
export type HandlerType = Pick<DeliveryTarget, 'id' | 'type'>;

const FIND = 'SELECT id, account_id, type, name, is_enabled, settings FROM notification_handlers WHERE id IN ';
const FIND_ENABLED = 'SELECT id, type FROM notification_handlers WHERE account_id = ? AND is_enabled = 1';

/** What deliveries know of handlers. */
@Injectable()
export class DeliveryTargets {
  constructor(
    private readonly dialect: Dialect,
    private readonly cipher: SettingsCipher,
    private readonly secrets: SigningSecretsService,
  ) {}

  /** By id, of any account; without those that no longer exist. */
  async find(handlerIds: readonly number[]): Promise<Map<number, DeliveryTarget>> {
    if (handlerIds.length === 0) return new Map();
    const list = idList(handlerIds);
    const rows = await this.dialect.read(FIND + list.sql, list.values);
    const webhooks = rows.filter(([, , type]) => type === 'webhook').map(([id]) => Number(id));
    const secrets = await this.secrets.findEncrypted(webhooks);
    return new Map(rows.map((row) => [Number(row[0]), this.targetOf(row, secrets.get(Number(row[0])) ?? [])]));
  }

  /** The secrets that sign now, newest first. Makes one if there is none. @throws RecordNotFound */
  signingSecrets(accountId: number, handlerId: number): Promise<string[]> {
    return this.secrets.findSigning(operatorContext(accountId), handlerId);
  }

  /** The first `max` by id. */
  async findEnabled(accountId: number, max: number): Promise<HandlerType[]> {
    return (await this.dialect.read(`${FIND_ENABLED} ORDER BY id LIMIT ?`, [accountId, max])).map(typeOf);
  }

  /** Those of `ids` that are enabled handlers of the account. */
  async findEnabledAmong(accountId: number, ids: readonly number[]): Promise<HandlerType[]> {
    if (ids.length === 0) return [];
    const { sql, values } = idList(ids);
    return (await this.dialect.read(`${FIND_ENABLED} AND id IN ${sql} ORDER BY id`, [accountId, ...values])).map(typeOf);
  }

  private targetOf([id, account, type, name, isEnabled, settings]: RowValues, secrets: string[]): DeliveryTarget {
    const accountId = Number(account);
    return {
      ...{ id: Number(id), accountId, type: type as ChannelType, name: String(name), isEnabled: isEnabled === 1 },
      settings: () => this.cipher.decrypt(String(settings), accountId),
      signingSecrets: () => secrets.map((secret) => this.cipher.decryptText(secret, accountId)),
    };
  }
}

function typeOf([id, type]: RowValues): HandlerType {
  return { id: Number(id), type: type as ChannelType };
}
