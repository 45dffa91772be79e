import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  AccountId,
  ApiCreate,
  ApiDelete,
  ApiRead,
  asCreated,
  asId,
  asRecord,
  Config,
  Paginated,
  ParseRecordIdPipe,
  Scope,
  type WriteContext,
  WriteContextOf,
} from 'frontdesk';
import { AppointmentReminderQuery, AppointmentReminderRecord, CreateAppointmentReminder } from './appointment-reminder.dto';
import { AppointmentRemindersService } from './appointment-reminders.service';

@ApiTags('Calendars')
@Controller('api/appointment-reminders')
export class AppointmentRemindersController {
  constructor(
    private readonly reminders: AppointmentRemindersService,
    private readonly config: Config,
  ) {}

  @Scope('calendar:read')
  @Get()
  @Paginated(AppointmentReminderRecord, 'List appointment reminders')
  findPage(@AccountId() accountId: number, @Query() query: AppointmentReminderQuery) {
    return this.reminders.findPage(accountId, query);
  }

  @Scope('calendar:read')
  @Get(':appointment_reminder_id')
  @ApiRead('appointment_reminder_id', AppointmentReminderRecord, 'Read an appointment reminder')
  find(
    @AccountId() accountId: number,
    @Param('appointment_reminder_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.reminders.find(accountId, id), response);
  }

  @Scope('calendar:write')
  @Post()
  @ApiCreate('Create an appointment reminder')
  create(
    @WriteContextOf() context: WriteContext,
    @Body() input: CreateAppointmentReminder,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asCreated(this.reminders.create(context, input), response, `${this.config.publicUrl}/api/appointment-reminders`);
  }

  @Scope('calendar:write')
  @Delete(':appointment_reminder_id')
  @ApiDelete('appointment_reminder_id', 'Delete an appointment reminder')
  delete(@WriteContextOf() context: WriteContext, @Param('appointment_reminder_id', ParseRecordIdPipe) id: number) {
    return asId(this.reminders.delete(context, id));
  }
}
