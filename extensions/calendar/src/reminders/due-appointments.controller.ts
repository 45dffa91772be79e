import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, ApiRead, asRecord, Paginated, ParseRecordIdPipe, Scope } from 'frontdesk';
import { DueAppointmentQuery, DueAppointmentRecord } from './due-appointment.dto';
import { DueAppointmentsService } from './due-appointments.service';

/** The records of `calendar.appointment_due` events. They contain appointments, and so require scheduling:read, too. */
@ApiTags('Calendars')
@Scope('calendar:read', 'scheduling:read')
@Controller('api/due-appointments')
export class DueAppointmentsController {
  constructor(private readonly due: DueAppointmentsService) {}

  @Get()
  @Paginated(DueAppointmentRecord, 'List the appointment reminders sent in the last month')
  findPage(@AccountId() accountId: number, @Query() query: DueAppointmentQuery) {
    return this.due.findPage(accountId, query);
  }

  @Get(':due_appointment_id')
  @ApiRead('due_appointment_id', DueAppointmentRecord, 'Read an appointment reminder that was sent')
  find(
    @AccountId() accountId: number,
    @Param('due_appointment_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.due.find(accountId, id), response);
  }
}
