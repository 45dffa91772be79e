import { Injectable } from '@nestjs/common';
import { type ListRequest, type Page, Records, type RecordTable, type Versioned } from 'frontdesk';
import { DueAppointmentRecord } from './due-appointment.dto';
import { DueAppointment } from './due-appointment.entity';
import { describeDueAppointment } from './due-appointment-texts';

/** Noun and action of the event type `calendar.appointment_due`. */
export const EVENT_NOUN = 'calendar';
export const EVENT_ACTION = 'appointment_due';

@Injectable()
export class DueAppointmentsService {
  private readonly table: RecordTable<DueAppointmentRecord>;

  constructor(private readonly records: Records) {
    const options = { noun: EVENT_NOUN, events: [EVENT_ACTION], describeEvent: describeDueAppointment };
    this.table = records.table<DueAppointmentRecord>(DueAppointment, DueAppointmentRecord, options);
  }

  findPage(accountId: number, request: ListRequest): Promise<Page<DueAppointmentRecord>> {
    return this.records.findPage(this.table, accountId, request);
  }

  find(accountId: number, id: number): Promise<Versioned<DueAppointmentRecord>> {
    return this.records.find(this.table, accountId, id);
  }
}
