import { defineExtension } from 'frontdesk';
import { Calendar1796200000000 } from './1796200000000-calendar';
import { CalendarAppointment } from './appointments/calendar-appointment.entity';
import { CalendarModule } from './calendar.module';
import { CalendarFeed } from './feeds/calendar-feed.entity';
import { AppointmentReminder } from './reminders/appointment-reminder.entity';
import { DueAppointment } from './reminders/due-appointment.entity';

export default defineExtension({
  name: 'calendar',
  modules: [CalendarModule],
  entities: [CalendarFeed, CalendarAppointment, AppointmentReminder, DueAppointment],
  migrations: [Calendar1796200000000],
  tests: { forms: { '/api/calendar-feeds': () => ({ name: 'Salon', timezone: 'America/Sao_Paulo' }) } },
});
