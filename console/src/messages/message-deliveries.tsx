import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Schemas } from '../api/api';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { formatNumber, parseTime, Time } from '../language/times';
import { ChoiceField, Filters } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { ListView } from '../lists/list-view';
import { useSession } from '../session/session';
import { STATUSES, StatusBadge } from './delivery-counts';

type Delivery = Schemas['DeliveryRecord'];

const READ_AFTER_MS = 3_000;
/** Browsers fire longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const MAX_NAMES = 1_000;

interface MessageDeliveriesProps {
  messageId: number;
  /** Deliveries are read again when this changes. */
  version: number;
  /** Called when a pending delivery has become due, because an attempt that will be retried causes no event. */
  onDue: () => void;
}

export function MessageDeliveries({ messageId, version, onDue }: MessageDeliveriesProps) {
  const list = useListQuery(['status']);
  const query = { ...list.query, message_id: messageId };
  const read = useRead(`deliveries ${JSON.stringify(query)}`, (api, signal) => api.get('/api/deliveries', { query, signal }));
  const names = useHandlerNames();
  useEffect(() => {
    if (version > 0) read.reload();
  }, [version]);
  useEffect(() => {
    const wait = untilDue(read.data?.data ?? []);
    if (wait === undefined) return;
    const checkIfVisible = (): void => void (document.visibilityState === 'visible' && onDue());
    const timer = setTimeout(checkIfVisible, wait);
    document.addEventListener('visibilitychange', checkIfVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', checkIfVisible);
    };
  }, [read.data, onDue]);
  return (
    <section class="card">
      <h2>{t.messages.deliveries}</h2>
      <Filters list={list}>
        <ChoiceField
          list={list}
          name="status"
          label={t.messages.state}
          choices={STATUSES.map((status) => [status, t.messages.status[status]] as const)}
        />
      </Filters>
      <ListView
        label={t.messages.deliveries}
        list={list}
        read={read}
        columns={[
          { label: t.messages.handler, cell: (delivery) => <Handler delivery={delivery} name={names?.get(delivery.handler_id)} /> },
          { label: t.messages.state, isAside: true, cell: ({ status }) => <StatusBadge status={status} /> },
          { label: t.messages.attempts, isLabelled: true, cell: ({ attempts }) => formatNumber(attempts) },
          { label: t.messages.latest, cell: (delivery) => <LatestTime delivery={delivery} /> },
          {
            label: t.messages.details,
            cell: ({ id }) => (
              <Link class="nowrap" href={`/deliveries/${id}`}>
                {t.messages.log(id)}
              </Link>
            ),
          },
        ]}
        empty={<p>{t.messages.noDeliveries}</p>}
      />
    </section>
  );
}

/** Milliseconds until the next attempt; undefined if none is pending. */
function untilDue(deliveries: readonly Delivery[]): number | undefined {
  const due = deliveries.map(({ next_attempt }) => next_attempt).filter((time) => time !== null);
  if (due.length === 0) return undefined;
  const first = Math.min(...due.map((time) => parseTime(time).getTime()));
  return Math.min(Math.max(first - Date.now(), 0) + READ_AFTER_MS, LONGEST_TIMER_MS);
}

/** The names of the first thousand handlers, in one read; others are shown by id. */
function useHandlerNames(): ReadonlyMap<number, string> | undefined {
  const { may } = useSession();
  const mayRead = may('notification-handlers:read');
  return useRead(`handler names ${mayRead}`, async (api, signal) => {
    if (!mayRead) return new Map<number, string>();
    const { data } = await api.get('/api/notification-handlers', { query: { results_per_page: MAX_NAMES }, signal });
    return new Map(data.map(({ id, name }) => [id, name]));
  }).data;
}

function Handler({ delivery: { handler_id, type }, name }: { delivery: Delivery; name: string | undefined }) {
  const types: Partial<Record<string, string>> = t.handlers.types;
  const shownType = types[type] ?? type;
  if (name === undefined) return <>{t.messages.unnamed(shownType, handler_id)}</>;
  return (
    <>
      <Link href={`/handlers/${handler_id}`}>
        <CallerText text={name} />
      </Link>{' '}
      <span class="muted">({shownType})</span>
    </>
  );
}

function LatestTime({ delivery: { status, attempts, next_attempt, last_datetime, datetime } }: { delivery: Delivery }) {
  if (status !== 'pending' || next_attempt === null) return <Time value={last_datetime ?? datetime} />;
  if (parseTime(next_attempt).getTime() <= Date.now()) return <>{t.messages.dueNow}</>;
  return (
    <>
      {attempts > 0 && t.messages.nextTry} <Time value={next_attempt} isRelative />
    </>
  );
}
