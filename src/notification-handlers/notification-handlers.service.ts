import { Injectable } from '@nestjs/common';
import { RecordLimits } from '../auth/accounts/record-limits';
import type { Page, Versioned } from '../platform/common/records';
import type { WriteContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import type { ListRequest } from '../platform/database/records/pages';
import type { ColumnValues, RecordTable } from '../platform/database/records/record-table';
import { Records } from '../platform/database/records/records';
import type { Transaction } from '../platform/database/writes/transactions';
import { RequestError } from '../platform/common/errors';
import { nonceOf, SecretsCipher } from '../platform/secrets/secrets-cipher';
import { type ChannelType, fieldsOf, maskSettings, mergeSettings, otherTypeViolations, type Settings } from './channel-settings';
import { EventScopeChecks, HandlerCancellations } from './handler-hooks';
import { type CreateNotificationHandler, NotificationHandlerRecord, type UpdateNotificationHandler } from './notification-handler.dto';
import { NotificationHandler } from './notification-handler.entity';
import { SigningSecretsService } from './signing-secrets.service';
import { type DescribedEvent, type EventText, fieldList } from '../platform/database/events/event-types';

/** A handler with its settings still encrypted. */
type StoredRecord = Omit<NotificationHandlerRecord, 'settings'> & { settings: string };

@Injectable()
export class NotificationHandlersService {
  private readonly table: RecordTable<StoredRecord>;

  constructor(
    private readonly records: Records,
    private readonly cipher: SecretsCipher,
    private readonly signingSecrets: SigningSecretsService,
    private readonly cancellations: HandlerCancellations,
    private readonly scopeChecks: EventScopeChecks,
    private readonly limits: RecordLimits,
    private readonly config: Config,
  ) {
    this.table = records.table<StoredRecord>(NotificationHandler, NotificationHandlerRecord, {
      noun: 'notification handler',
      versionedAs: { settings: nonceOf },
      present: (stored, accountId, may) => this.toRecord(stored, accountId, may('secrets:read')),
      describeEvent: describeHandler,
    });
  }

  async findPage(accountId: number, request: ListRequest, showSecrets: boolean): Promise<Page<NotificationHandlerRecord>> {
    const page = await this.records.findPage(this.table, accountId, request);
    return page.withRecords(page.records.map((stored) => this.toRecord(stored, accountId, showSecrets)));
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number, showSecrets: boolean): Promise<Versioned<NotificationHandlerRecord>> {
    const { record, version } = await this.records.find(this.table, accountId, id);
    return { record: this.toRecord(record, accountId, showSecrets), version };
  }

  /** @throws RequestError 409 limit_reached */
  create(context: WriteContext, input: CreateNotificationHandler): Promise<number> {
    const { type, name } = input;
    const settings = this.encrypt(mergeSettings(type, input), context.accountId);
    return this.records.insert(
      this.table,
      context,
      { type, name, settings },
      { before: (transaction, accountId) => this.limits.check(transaction, accountId, this.table, this.config.maxHandlers) },
    );
  }

  /** @throws RecordNotFound, StaleVersion, RequestError 400 for a field of another type, 503 while deliveries are still being cancelled */
  async update(context: WriteContext, id: number, changes: UpdateNotificationHandler): Promise<number> {
    const mayCancel = changes.is_enabled !== undefined || changes.type !== undefined;
    const isCancellationDone = !mayCancel || (await this.cancellations.cancel(context, id));
    const enableHandler = changes.is_enabled ? await this.scopeChecks.prepareEnabling() : undefined;
    let changed: string[] = [];
    const change = async (stored: StoredRecord, transaction: Transaction) => {
      if (!isCancellationDone) throw stillCancelling(); // else deliveries of an earlier cancellation would become due again
      const values = this.valuesToWrite(stored, context.accountId, changes);
      changed = changedFields(stored, changes);
      if (changed.includes('settings')) await this.scopeChecks.require(transaction, context, id);
      if (changes.type !== undefined && changes.type !== stored.type) {
        await this.signingSecrets.drop(transaction, id);
        await this.scopeChecks.endReplay(transaction, id);
      }
      if (!stored.is_enabled) await enableHandler?.(transaction, id);
      return values;
    };
    const updated = await this.records.update(this.table, context, id, change, () => Promise.resolve({ data: { changed } }));
    if (mayCancel) await this.cancellations.cancel(context, id);
    return updated;
  }

  /** @throws RecordNotFound, StaleVersion */
  async delete(context: WriteContext, id: number): Promise<number> {
    const deleted = await this.records.delete(this.table, context, id);
    await this.cancellations.cancel(context, id);
    return deleted;
  }

  /** Ignores empty fields of other types; an update with only those writes nothing. */
  private valuesToWrite(stored: StoredRecord, accountId: number, changes: UpdateNotificationHandler): ColumnValues {
    const { type = stored.type, name = stored.name, is_enabled = stored.is_enabled } = changes;
    const violations = otherTypeViolations(changes, type);
    if (violations.length > 0) throw new RequestError(violations);
    if (changedFields(stored, changes).length === 0) return {};

    const previous = type === stored.type ? this.decrypt(stored.settings, accountId) : {};
    const settings = this.encrypt(mergeSettings(type, changes, previous), accountId);
    return { type, name, is_enabled, settings };
  }

  private encrypt(settings: Settings, accountId: number): string {
    return this.cipher.encrypt(JSON.stringify(settings), accountId);
  }

  private decrypt(value: string, accountId: number): Settings {
    return JSON.parse(this.cipher.decrypt(value, accountId)) as Settings;
  }

  private toRecord(stored: StoredRecord, accountId: number, showSecrets: boolean): NotificationHandlerRecord {
    const settings = this.decrypt(stored.settings, accountId);
    return { ...stored, settings: showSecrets ? settings : maskSettings(stored.type, settings) };
  }
}

/** Names of the record's fields that the request sets, for the event. */
function changedFields({ type: stored }: StoredRecord, changes: UpdateNotificationHandler): string[] {
  const { type = stored } = changes;
  const fields = (['type', 'name', 'is_enabled'] as const).filter((field) => changes[field] !== undefined);
  const hasSettings = type !== stored || fieldsOf(type).some(([field]) => field in changes);
  return hasSettings ? [...fields, 'settings'] : fields;
}

function stillCancelling(): RequestError {
  return RequestError.unavailable('The handler’s pending deliveries are still being cancelled. Try again in a few seconds.');
}

/** Describes a handler's event for people; `handler` is null once deleted. */
export function describeHandler(
  { type, data }: DescribedEvent,
  handler: { name: string; type: ChannelType } | null,
): EventText | undefined {
  if (type === 'notification_handler.deleted')
    return {
      title: 'Handler deleted',
      text: `${typeof data.name === 'string' ? data.name : 'A handler'} was deleted: it gets no more messages.`,
    };
  if (!handler) return undefined;
  const who = `${handler.name} (${handler.type})`;
  if (type === 'notification_handler.created') return { title: 'Handler created', text: `${who} was added: it gets messages from now on.` };
  return { title: 'Handler changed', text: `${who} was changed: ${fieldList(data.changed)}.` };
}
