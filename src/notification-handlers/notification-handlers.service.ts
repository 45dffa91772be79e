import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ConfigError } from '../config';
import { Page, type PageRequest } from '../database/page';
import { RecordNotFound, Records, type RecordTable } from '../database/records';
import { timestamp } from '../database/time';
import { Transactions } from '../database/transactions';
import { RequestError } from '../http/request-error';
import { type ChannelType, fieldsOf } from './channels';
import { otherTypeFields } from './other-type-fields';
import type { CreateNotificationHandler, NotificationHandlerRecord, UpdateNotificationHandler } from './notification-handler.dto';
import { NotificationHandler } from './notification-handler.entity';
import { maskSettings, mergeSettings } from './settings';
import { SettingsCipher } from './settings-cipher';

/** A handler as it is stored: its settings are encrypted. */
type StoredRecord = Omit<NotificationHandlerRecord, 'settings'> & { settings: string };

const HANDLERS: RecordTable<StoredRecord> = {
  table: 'notification_handlers',
  noun: 'notification handler',
  columns: 'id, type, name, settings, is_enabled, last_datetime, datetime',
  toRecord: ([id, type, name, settings, is_enabled, last_datetime, datetime]) =>
    ({ id, type, name, settings, is_enabled: is_enabled === 1, last_datetime, datetime }) as StoredRecord,
};

@Injectable()
export class NotificationHandlersService {
  constructor(
    private readonly records: Records,
    private readonly transactions: Transactions,
    private readonly cipher: SettingsCipher,
  ) {}

  /**
   * For the start: a lost key is noticed before anything is encrypted under another one.
   * @throws ConfigError when the newest settings were encrypted under a key that is not at hand
   */
  async checkKeys(): Promise<void> {
    const newest = await this.records.findNewest(HANDLERS);
    if (!newest || this.cipher.holdsKeyOf(newest.settings)) return;
    throw new ConfigError(
      'The settings of notification handlers are encrypted under another key than SECRETS_KEY, or the key file beside the database, holds.',
    );
  }

  async findPage(accountId: number, request: PageRequest, showSecrets: boolean): Promise<Page<NotificationHandlerRecord>> {
    const page = await this.records.findPage(HANDLERS, accountId, request);
    return new Page(
      page.records.map((stored) => this.open(stored, accountId, showSecrets)),
      page.total,
      request,
    );
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number, showSecrets: boolean): Promise<NotificationHandlerRecord> {
    return this.open(await this.records.find(HANDLERS, accountId, id), accountId, showSecrets);
  }

  /** The type of a handler, when there is one with this id. */
  async findType(accountId: number, id: number): Promise<ChannelType | undefined> {
    try {
      return (await this.records.find(HANDLERS, accountId, id)).type;
    } catch (error) {
      if (error instanceof RecordNotFound) return undefined;
      throw error;
    }
  }

  async create(accountId: number, input: CreateNotificationHandler): Promise<{ id: number }> {
    const handler = {
      account_id: accountId,
      type: input.type,
      name: input.name,
      settings: this.cipher.encrypt(mergeSettings(input.type, input), accountId),
      is_enabled: true,
      datetime: timestamp(),
    } satisfies Partial<NotificationHandler>;
    return { id: await this.records.insert(HANDLERS, handler) };
  }

  /** @throws RecordNotFound, RequestError 400 for a field that belongs to another type */
  async update(accountId: number, id: number, changes: UpdateNotificationHandler): Promise<{ id: number }> {
    if (await this.changesNothing(accountId, id, changes)) return { id };
    await this.transactions.run((manager) => this.write(manager, { account_id: accountId, id }, changes));
    return { id };
  }

  /** @throws RecordNotFound */
  async delete(accountId: number, id: number): Promise<{ id: number }> {
    await this.records.delete(HANDLERS, accountId, id);
    return { id };
  }

  /** Nothing is given, or empty fields of other types alone, which are ignored. */
  private async changesNothing(accountId: number, id: number, changes: UpdateNotificationHandler): Promise<boolean> {
    if (Object.values(changes).some((value) => value !== '')) return false;
    const { type } = await this.records.find(HANDLERS, accountId, id);
    return fieldsOf(type).every(([name]) => !(name in changes));
  }

  /** The first statement locks the row, so that what is read after it stays true until the settings are written. */
  private async write(
    manager: EntityManager,
    which: { account_id: number; id: number },
    changes: UpdateNotificationHandler,
  ): Promise<void> {
    const { affected } = await manager.update(NotificationHandler, which, { last_datetime: timestamp() });
    if (!affected) throw new RecordNotFound(HANDLERS.noun);
    const stored = await manager.findOneByOrFail(NotificationHandler, which);
    const { type = stored.type, name = stored.name, is_enabled = stored.is_enabled } = changes;
    const violations = otherTypeFields(changes, type);
    if (violations.length > 0) throw new RequestError(violations);

    const previous = type === stored.type ? this.cipher.decrypt(stored.settings, which.account_id) : {};
    const settings = this.cipher.encrypt(mergeSettings(type, changes, previous), which.account_id);
    await manager.update(NotificationHandler, which, { type, name, is_enabled, settings });
  }

  private open(stored: StoredRecord, accountId: number, showSecrets: boolean): NotificationHandlerRecord {
    const settings = this.cipher.decrypt(stored.settings, accountId);
    return { ...stored, settings: showSecrets ? settings : maskSettings(stored.type, settings) };
  }
}
