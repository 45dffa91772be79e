import { Module } from '@nestjs/common';
import { AppointmentChanges } from './appointments/appointment-changes';
import { FeedAppointments } from './appointments/feed-appointments';
import { CalendarFeedsController } from './feeds/calendar-feeds.controller';
import { CalendarFeedsService } from './feeds/calendar-feeds.service';
import { CalendarsController } from './feeds/calendars.controller';
import { CalendarsService } from './feeds/calendars.service';
import { AppointmentRemindersController } from './reminders/appointment-reminders.controller';
import { AppointmentRemindersService } from './reminders/appointment-reminders.service';
import { DueAppointmentsController } from './reminders/due-appointments.controller';
import { DueAppointmentsService } from './reminders/due-appointments.service';
import { ReminderJob } from './reminders/reminder-job';

@Module({
  controllers: [CalendarFeedsController, CalendarsController, AppointmentRemindersController, DueAppointmentsController],
  providers: [
    CalendarFeedsService,
    CalendarsService,
    AppointmentChanges,
    FeedAppointments,
    AppointmentRemindersService,
    DueAppointmentsService,
    ReminderJob,
  ],
})
export class CalendarModule {}
