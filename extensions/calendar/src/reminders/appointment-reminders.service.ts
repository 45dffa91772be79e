import { Injectable } from '@nestjs/common';
import {
  type ListRequest,
  Page,
  RecordNotFound,
  Records,
  type RecordTable,
  RequestError,
  type Versioned,
  type WriteContext,
  WriteExecutor,
} from 'frontdesk';
import { CalendarFeedsService } from '../feeds/calendar-feeds.service';
import { AppointmentReminderRecord, type CreateAppointmentReminder, StoredReminder, toReminder } from './appointment-reminder.dto';
import { AppointmentReminder } from './appointment-reminder.entity';

@Injectable()
export class AppointmentRemindersService {
  private readonly table: RecordTable<StoredReminder>;

  constructor(
    private readonly records: Records,
    private readonly executor: WriteExecutor,
    private readonly feeds: CalendarFeedsService,
  ) {
    this.table = records.table<StoredReminder>(AppointmentReminder, StoredReminder, {
      present: toReminder,
      presentedAs: AppointmentReminderRecord,
    });
  }

  async findPage(accountId: number, request: ListRequest): Promise<Page<AppointmentReminderRecord>> {
    const { records, total } = await this.records.findPage(this.table, accountId, request);
    return new Page(records.map(toReminder), total);
  }

  async find(accountId: number, id: number): Promise<Versioned<AppointmentReminderRecord>> {
    const { record, version } = await this.records.find(this.table, accountId, id);
    return { record: toReminder(record), version };
  }

  /** @throws RequestError for a calendar, an attendant or a service that the account doesn't have */
  create(context: WriteContext, { before: times_before, ...input }: CreateAppointmentReminder): Promise<number> {
    return this.executor.runOnce(context, async (transaction) => {
      await this.feeds.find(context.accountId, input.calendar_feed_id).catch(refuse);
      await this.feeds.requireOwnRecords(context.accountId, input);
      return this.records.insertWithin(transaction, this.table, context, { ...input, times_before });
    });
  }

  delete(context: WriteContext, id: number): Promise<number> {
    return this.records.delete(this.table, context, id);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof RecordNotFound)) throw error;
  throw RequestError.of('invalid_parameter', 'There is no calendar feed with this id.', { in: 'form', name: 'calendar_feed_id' });
}
