import { Injectable } from '@nestjs/common';
import { ConfigError } from '../config/config';
import type { WriteContext } from '../common/write-context';
import { Page, type PageRequest } from '../common/page';
import { type Columns, RecordNotFound, Records, type RecordTable } from '../database/records/records';
import { timestamp } from '../common/time';
import type { Versioned } from '../common/version';
import { RequestError } from '../http/errors/request-error';
import { type ChannelType, fieldsOf } from './channels';
import { otherTypeFields } from './other-type-fields';
import type { CreateNotificationHandler, NotificationHandlerRecord, UpdateNotificationHandler } from './notification-handler.dto';
import type { NotificationHandler } from './notification-handler.entity';
import { maskSettings, mergeSettings } from './settings';
import { nonceOf, SettingsCipher } from './secrets/settings-cipher';

/** A handler as it is stored: its settings are encrypted. */
type StoredRecord = Omit<NotificationHandlerRecord, 'settings'> & { settings: string };

const HANDLERS: RecordTable<StoredRecord> = {
  table: 'notification_handlers',
  noun: 'notification handler',
  columns: 'id, type, name, settings, is_enabled, last_datetime, datetime',
  toRecord: ([id, type, name, settings, is_enabled, last_datetime, datetime]) =>
    ({ id, type, name, settings, is_enabled: is_enabled === 1, last_datetime, datetime }) as StoredRecord,
  toVersioned: ([id, type, name, settings, ...rest]) => [id, type, name, nonceOf(settings as string), ...rest],
};

@Injectable()
export class NotificationHandlersService {
  constructor(
    private readonly records: Records,
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
  async find(accountId: number, id: number, showSecrets: boolean): Promise<Versioned<NotificationHandlerRecord>> {
    const { record, version } = await this.records.find(HANDLERS, accountId, id);
    return { record: this.open(record, accountId, showSecrets), version };
  }

  /** The type of a handler, when there is one with this id. */
  async findType(accountId: number, id: number): Promise<ChannelType | undefined> {
    try {
      return (await this.records.find(HANDLERS, accountId, id)).record.type;
    } catch (error) {
      if (error instanceof RecordNotFound) return undefined;
      throw error;
    }
  }

  create(context: WriteContext, input: CreateNotificationHandler): Promise<number> {
    const handler = {
      type: input.type,
      name: input.name,
      settings: this.cipher.encrypt(mergeSettings(input.type, input), context.accountId),
      is_enabled: true,
      datetime: timestamp(),
    } satisfies Partial<NotificationHandler>;
    return this.records.insert(HANDLERS, context, handler);
  }

  /** @throws RecordNotFound, StaleVersion, RequestError 400 for a field that belongs to another type */
  update(context: WriteContext, id: number, changes: UpdateNotificationHandler): Promise<number> {
    return this.records.update(HANDLERS, context, id, (stored) => this.changed(stored, context.accountId, changes));
  }

  /** @throws RecordNotFound, StaleVersion */
  delete(context: WriteContext, id: number): Promise<number> {
    return this.records.delete(HANDLERS, context, id);
  }

  /** What an update makes of a handler: of empty fields of other types, which are ignored, nothing. */
  private changed(stored: StoredRecord, accountId: number, changes: UpdateNotificationHandler): Columns {
    const { type = stored.type, name = stored.name, is_enabled = stored.is_enabled } = changes;
    const violations = otherTypeFields(changes, type);
    if (violations.length > 0) throw new RequestError(violations);
    const isEmpty = Object.values(changes).every((value) => value === '') && fieldsOf(type).every(([field]) => !(field in changes));
    if (isEmpty) return {};

    const previous = type === stored.type ? this.cipher.decrypt(stored.settings, accountId) : {};
    const settings = this.cipher.encrypt(mergeSettings(type, changes, previous), accountId);
    return { type, name, is_enabled, settings, last_datetime: timestamp() };
  }

  private open(stored: StoredRecord, accountId: number, showSecrets: boolean): NotificationHandlerRecord {
    const settings = this.cipher.decrypt(stored.settings, accountId);
    return { ...stored, settings: showSecrets ? settings : maskSettings(stored.type, settings) };
  }
}
