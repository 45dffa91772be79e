import { Route, Switch } from 'wouter-preact';
import '../styles/scheduling.css';
import { NotFound } from '../shell/page';
import { AppointmentList } from './appointment-list';
import { AttendantList } from './attendant-list';
import { DayCalendar, WeekCalendar } from './calendars';
import { ServiceList } from './service-list';
import { TimeSlotList } from './time-slot-list';

export default function SchedulingPage() {
  return (
    <Switch>
      <Route path="/scheduling">
        <WeekCalendar />
      </Route>
      <Route path="/scheduling/day">
        <DayCalendar />
      </Route>
      <Route path="/scheduling/list">
        <AppointmentList />
      </Route>
      <Route path="/scheduling/attendants">
        <AttendantList />
      </Route>
      <Route path="/scheduling/services">
        <ServiceList />
      </Route>
      <Route path="/scheduling/slots">
        <TimeSlotList />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
