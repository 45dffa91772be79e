import { useRef, useState } from 'preact/hooks';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { formatNumber, Time } from '../language/times';
import { useListQuery } from '../lists/list-query';
import { EmptyState } from '../lists/list-view';
import { TableSkeleton } from '../lists/skeletons';
import { useLive } from '../live/live';
import { Page } from '../shell/page';
import '../styles/deliveries.css';
import '../styles/events.css';
import { EventItem } from './event-item';
import { MAX_EVENTS, getReader, type RecentEvents } from './event-reader';
import { matchesTypes, TypeFilter } from './type-filter';

const EVENTS_PER_STEP = 50;

export default function EventsPage() {
  const list = useListQuery(['types']);
  const { types } = list.query;
  const [isPaused, setPaused] = useState(false);
  const [waitingCount, setWaiting] = useState(0);
  const isReadingOn = useRef(false);
  const { data, error, reload, isLoading } = useRead(`events ${types ?? ''}`, (api, signal) => {
    const reader = getReader(api, types);
    const read = isReadingOn.current ? reader.readOn(signal) : reader.read(signal);
    isReadingOn.current = false;
    return read;
  });
  useLive('', (events) => {
    if (!isPaused) return reload();
    setWaiting(waitingCount + events.filter(({ type }) => matchesTypes(type, types)).length);
  });
  const pause = (): void => {
    setPaused(!isPaused);
    setWaiting(0);
    if (isPaused) reload();
  };
  const readOn = (): void => {
    isReadingOn.current = true;
    reload();
  };
  return (
    <Page
      title={t.pages.events}
      actions={
        <>
          <span role="status">{isPaused && t.events.waiting(waitingCount, formatNumber(waitingCount))}</span>
          <button type="button" class="button" aria-pressed={isPaused} onClick={pause}>
            {isPaused ? t.events.resume : t.events.pause}
          </button>
        </>
      }
    >
      <TypeFilter list={list} />
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {!data && error === undefined && <TableSkeleton columns={2} rows={10} />}
      {data && <Feed key={types} recent={data} isReading={isLoading} onReadOn={readOn} isFiltered={types !== undefined} />}
    </Page>
  );
}

interface FeedProps {
  recent: RecentEvents;
  isReading: boolean;
  isFiltered: boolean;
  onReadOn: () => void;
}

function Feed({ recent: { events, readUntil }, isReading, isFiltered, onReadOn }: FeedProps) {
  const [shownCount, setShown] = useState(EVENTS_PER_STEP);
  if (events.length === 0 && readUntil === undefined)
    return isFiltered ? <p class="muted">{t.events.none}</p> : <EmptyState title={t.events.emptyTitle} text={t.events.empty} />;
  return (
    <>
      {readUntil !== undefined && (
        <div class="notice">
          <p>
            {t.events.tooMany} {readUntil !== '' && <Time value={readUntil} />}
          </p>
          <button type="button" class="button" aria-disabled={isReading} onClick={() => !isReading && onReadOn()}>
            {isReading ? t.events.reading : t.events.readOn}
          </button>
        </div>
      )}
      {events.length > 0 && (
        <ol class="card events" aria-label={t.pages.events}>
          {events.slice(0, shownCount).map((event) => (
            <EventItem key={event.id} event={event} />
          ))}
        </ol>
      )}
      {events.length > shownCount && (
        <button type="button" class="button" onClick={() => setShown(shownCount + EVENTS_PER_STEP)}>
          {t.events.older}
        </button>
      )}
      {events.length >= MAX_EVENTS && shownCount >= MAX_EVENTS && <p class="muted">{t.events.cut}</p>}
    </>
  );
}
