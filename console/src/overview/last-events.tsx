import { Link } from 'wouter-preact';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { EventItem } from '../events/event-item';
import { getReader } from '../events/event-reader';
import { t } from '../language/language';
import { useLive } from '../live/live';

const MAX_SHOWN = 8;

export function LastEvents() {
  const { data, error, reload } = useRead('last events', (api, signal) => getReader(api).read(signal));
  useLive('', reload);
  return (
    <section class="card">
      <h2>{t.overview.lastEvents}</h2>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {!data && error === undefined && <span class="skeleton events-skeleton" aria-hidden="true" />}
      {data?.events.length === 0 && <p class="muted">{data.readUntil === undefined ? t.events.empty : t.overview.noNewEvents}</p>}
      {data && data.events.length > 0 && (
        <ol class="events events-short">
          {data.events.slice(0, MAX_SHOWN).map((event) => (
            <EventItem key={event.id} event={event} />
          ))}
        </ol>
      )}
      <p>
        <Link href="/events">{t.overview.allEvents}</Link>
      </p>
    </section>
  );
}
