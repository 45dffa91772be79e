import { useId } from 'preact/hooks';
import { t } from '../language/language';
import { parseTime } from '../language/times';
import type { ListQuery } from './list-query';

/** First and last day on which records were created. */
export function CreatedFields({ list }: { list: ListQuery }) {
  return (
    <>
      <LocalDayField list={list} name="created_from" label={t.lists.createdFrom} />
      <LocalDayField list={list} name="created_until" label={t.lists.createdUntil} isLast />
    </>
  );
}

/** First day of the last change. */
export function ChangedField({ list }: { list: ListQuery }) {
  return <LocalDayField list={list} name="changed_since" label={t.lists.changedSince} />;
}

/** A day in the user's time zone; in the URL it is a time in UTC, as the API expects. `isLast`: uses the beginning of the next day. */
function LocalDayField({ list, name, label, isLast = false }: { list: ListQuery; name: string; label: string; isLast?: boolean }) {
  const id = useId();
  const value = list.query[name];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={value === undefined ? '' : dayOf(value, isLast)}
        onChange={(event) => list.change({ [name]: toUtcLimit(event.currentTarget.value, isLast) })}
      />
    </div>
  );
}

/** The beginning of a local day, or with `isLast` of the next one, as `YYYY-MM-DDTHH:MM` in UTC. */
export function toUtcLimit(day: string, isLast = false): string {
  const date = new Date(`${day}T00:00`);
  if (Number.isNaN(date.getTime())) return '';
  if (isLast) date.setHours(24); // not the same time on the next day: where clocks go forward at midnight, a day begins at 1:00
  return date.toISOString().slice(0, 16);
}

function dayOf(limit: string, isLast: boolean): string {
  const date = parseTime(limit.length === 10 ? `${limit} 00:00` : limit);
  if (Number.isNaN(date.getTime())) return '';
  return formatDay(isLast ? new Date(date.getTime() - 1) : date);
}

/** `YYYY-MM-DD` in the user's time zone. */
export function formatDay(date: Date): string {
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
