import { Injectable } from '@nestjs/common';
import type { Page, Versioned } from '../platform/common/records';
import type { ListRequest } from '../platform/database/records/pages';
import type { RecordTable } from '../platform/database/records/record-table';
import { Records } from '../platform/database/records/records';
import { NotificationRecord } from './notification.dto';
import { Notification } from './notification.entity';

/** Read-only: notifications are imported; no route writes them. */
@Injectable()
export class NotificationsService {
  private readonly table: RecordTable<NotificationRecord>;

  constructor(private readonly records: Records) {
    this.table = records.table<NotificationRecord>(Notification, NotificationRecord, { noun: 'notification', events: [] });
  }

  findPage(accountId: number, page: ListRequest): Promise<Page<NotificationRecord>> {
    return this.records.findPage(this.table, accountId, page);
  }

  /** @throws RecordNotFound */
  find(accountId: number, id: number): Promise<Versioned<NotificationRecord>> {
    return this.records.find(this.table, accountId, id);
  }
}
