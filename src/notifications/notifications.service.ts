import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../common/page';
import { Records, type RecordTable } from '../database/records/records';
import type { Versioned } from '../common/version';
import type { NotificationRecord } from './notification.dto';

const NOTIFICATIONS: RecordTable<NotificationRecord> = {
  table: 'notifications',
  noun: 'notification',
  columns: 'id, campaign_id, notification_key, name, type, settings, is_enabled, last_datetime, datetime',
  toRecord: ([id, campaign_id, notification_key, name, type, settings, is_enabled, last_datetime, datetime]) =>
    ({
      ...{ id, campaign_id, notification_key, name, type },
      settings: JSON.parse(settings as string) as object,
      ...{ is_enabled: is_enabled === 1, last_datetime, datetime },
    }) as NotificationRecord,
};

/** Notifications are only read: no route writes them. */
@Injectable()
export class NotificationsService {
  constructor(private readonly records: Records) {}

  findPage(accountId: number, page: PageRequest): Promise<Page<NotificationRecord>> {
    return this.records.findPage(NOTIFICATIONS, accountId, page);
  }

  /** @throws RecordNotFound */
  find(accountId: number, id: number): Promise<Versioned<NotificationRecord>> {
    return this.records.find(NOTIFICATIONS, accountId, id);
  }
}
