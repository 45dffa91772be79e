import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import { DayField, Filters } from '../lists/filters';
import { type ListQuery, type Query, useListQuery } from '../lists/list-query';
import { BlockSkeleton } from '../lists/skeletons';
import { AppointmentCard } from './appointment-card';
import { addDays, type Day, dayOf, formatDay, formatDays, formatShortDay, formatTimeOfDay, today, weekOf } from './days';
import { PeopleFields } from './people-fields';
import { SchedulingFrame } from './scheduling-frame';
import { type Appointment, type DayOfAppointments, readDays } from './scheduling-reads';

const FILTERS = ['date', 'atendente-nome', 'servico-nome'];

/** Seven days side by side, or stacked on narrow screens. */
export function WeekCalendar() {
  const list = useListQuery(FILTERS);
  const week = weekOf(dayOf(list.query.date));
  const [first = '', last = ''] = [week[0], week[6]];
  return (
    <Calendar list={list} days={week} step={7} title={formatDays(first, last)}>
      {(days) => (
        <div class="week">
          {days.map((each) => (
            <WeekDay key={each.day} {...each} query={list.query} />
          ))}
        </div>
      )}
    </Calendar>
  );
}

/** One day, grouped by hour. */
export function DayCalendar() {
  const list = useListQuery(FILTERS);
  const day = dayOf(list.query.date);
  return (
    <Calendar list={list} days={[day]} step={1} title={formatDay(day)}>
      {([only]) => only && <Hours {...only} query={list.query} />}
    </Calendar>
  );
}

interface CalendarProps {
  list: ListQuery;
  days: Day[];
  /** Days by which the arrow buttons move. */
  step: number;
  title: string;
  children: (days: DayOfAppointments[]) => ComponentChildren;
}

function Calendar({ list, days, step, title, children }: CalendarProps) {
  const filters = useMemo(() => without(list.query, 'date'), [list.query]);
  const read = useRead(`appointments ${days.join()} ${JSON.stringify(filters)}`, (api, signal) => readDays(api, days, filters, signal));
  const date = dayOf(list.query.date);
  const unit = days.length > 1 ? 'week' : 'day';
  const total = read.data?.reduce((sum, each) => sum + each.total, 0);
  return (
    <SchedulingFrame title={t.pages.scheduling} query={list.query}>
      <Filters list={list}>
        <PeopleFields list={list} />
        <DayField list={list} name="date" label={t.scheduling.date} />
      </Filters>
      <div class="calendar-bar">
        <h2>{title}</h2>
        <div class="actions">
          <button
            type="button"
            class="button"
            aria-label={t.scheduling.before[unit]}
            onClick={() => list.change({ date: addDays(date, -step) })}
          >
            ‹
          </button>
          <span>{t.scheduling[unit]}</span>
          <button
            type="button"
            class="button"
            aria-label={t.scheduling.after[unit]}
            onClick={() => list.change({ date: addDays(date, step) })}
          >
            ›
          </button>
          <button type="button" class="button" onClick={() => list.change({ date: today() })}>
            {t.scheduling.today}
          </button>
          <Link class="button" href={dayLink(list.query, addDays(today(), 1))}>
            {t.scheduling.tomorrow}
          </Link>
        </div>
      </div>
      <p class="muted" role="status">
        {total !== undefined && t.scheduling.count(total, formatNumber(total))}
      </p>
      {read.error !== undefined && <ErrorNotice error={read.error} retry={read.reload} />}
      {!read.data && read.error === undefined && <BlockSkeleton />}
      {read.data && (total === 0 ? <p class="empty">{t.scheduling.noneIn[unit]}</p> : children(read.data))}
    </SchedulingFrame>
  );
}

function WeekDay({ day, appointments, total, query }: DayOfAppointments & { query: Query }) {
  const id = `day-${day}`;
  return (
    <section class={day === today() ? 'week-day is-today' : 'week-day'} aria-labelledby={id}>
      <h3 id={id}>
        <Link href={dayLink(query, day)}>{formatShortDay(day)}</Link>
      </h3>
      <ol class="appointments">
        {appointments.map((appointment) => (
          <AppointmentCard key={appointment.id} appointment={appointment} />
        ))}
      </ol>
      <More day={day} hidden={total - appointments.length} query={query} />
    </section>
  );
}

function Hours({ day, appointments, total, query }: DayOfAppointments & { query: Query }) {
  const hours = [...new Set(appointments.map(hourOf))];
  return (
    <>
      <ol class="hours">
        {hours.map((hour) => (
          <li key={hour}>
            <h3>{formatTimeOfDay(`${day} ${hour}:00:00`)}</h3>
            <ol class="appointments">
              {appointments
                .filter((each) => hourOf(each) === hour)
                .map((appointment) => (
                  <AppointmentCard key={appointment.id} appointment={appointment} hasPhone />
                ))}
            </ol>
          </li>
        ))}
      </ol>
      <More day={day} hidden={total - appointments.length} query={query} />
    </>
  );
}

/** The URL of one day, with the same filters. */
function dayLink(query: Query, day: Day): string {
  return `/scheduling/day?${new URLSearchParams({ ...query, date: day })}`;
}

function hourOf({ data_hora }: Appointment): string {
  return data_hora.slice(11, 13);
}

/** Links to a list of the day, for appointments that the calendar doesn't show. */
function More({ day, hidden, query }: { day: Day; hidden: number; query: Query }) {
  if (hidden === 0) return null;
  const parameters = new URLSearchParams({ ...without(query, 'date'), 'data-hora': day, orderby: 'data-hora' });
  return <Link href={`/scheduling/list?${parameters}`}>{t.scheduling.more(hidden, formatNumber(hidden))}</Link>;
}

function without(query: Query, name: string): Query {
  return Object.fromEntries(Object.entries(query).filter(([each]) => each !== name));
}
