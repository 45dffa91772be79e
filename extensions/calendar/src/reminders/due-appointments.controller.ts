import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, ApiRead, asRecord, Paginated, ParseRecordIdPipe, Scope } from 'frontdesk';
import { DueAppointmentQuery, DueAppointmentRecord } from './due-appointment.dto';
import { DueAppointmentsService } from './due-appointments.service';

/** The records of the events `calendar.appointment_due`: whoever reads them reads appointments. */
@ApiTags('Calendars')
@Scope('calendar:read', 'scheduling:read')
@Controller('api/due-appointments')
export class DueAppointmentsController {
  constructor(private readonly due: DueAppointmentsService) {}

  @Get()
  @Paginated(DueAppointmentRecord, 'List the appointments of the last month that were reminded of')
  findPage(@AccountId() accountId: number, @Query() query: DueAppointmentQuery) {
    return this.due.findPage(accountId, query);
  }

  @Get(':due_appointment_id')
  @ApiRead('due_appointment_id', DueAppointmentRecord, 'Read an appointment as it was reminded of')
  find(
    @AccountId() accountId: number,
    @Param('due_appointment_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.due.find(accountId, id), response);
  }
}
