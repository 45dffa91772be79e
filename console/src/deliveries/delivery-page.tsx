import { useEffect } from 'preact/hooks';
import { hasCode } from '../api/api';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { parseTime, Time } from '../language/times';
import { BlockSkeleton } from '../lists/skeletons';
import { useLive } from '../live/live';
import { RecordLink } from '../records/record-link';
import { useSession } from '../session/session';
import { NotFound, Page } from '../shell/page';
import { Attempts, Detail, NextAttempt } from './attempts';
import { type DeliveryWithLog, readDelivery, retryEach } from './delivery-reads';
import { StatusBadge } from './delivery-status';
import { Receipt } from './receipt';
import { useRetries } from './use-retries';

export function DeliveryPage({ id }: { id: number }) {
  const { api, may } = useSession();
  const { data, error, reload } = useRead(`delivery ${id}`, (api, signal) => readDelivery(api, id, signal));
  const retries = useRetries(reload);
  useLive('delivery.', (events) => {
    if (events.length === 0 || events.some(({ record }) => record?.id === id)) reload();
  });
  useReadAfterAttempt(data, reload);
  if (hasCode(error, 'not_found') || hasCode(error, 'invalid_parameter')) return <NotFound />;

  const mayRetry = may('messages:write') && data?.status === 'failed';
  const isRetriedHere = retries.isRunning || retries.result !== ''; // the button keeps the focus
  const retry = (mayRetry || isRetriedHere) && (
    <>
      <span role="status">{retries.isRunning ? t.deliveries.retryRunning : retries.result}</span>
      <button
        type="button"
        class="button button-primary"
        aria-disabled={retries.isRunning || !mayRetry}
        onClick={() => mayRetry && retries.run(() => retryEach(api, [id]))}
      >
        {t.deliveries.retry}
      </button>
    </>
  );
  return (
    <Page title={t.deliveries.title(String(id))} parent={['/deliveries', t.pages.deliveries]} actions={retry}>
      {[error, retries.error].map((each) => each !== undefined && <ErrorNotice error={each} retry={reload} />)}
      {!data && error === undefined && <BlockSkeleton />}
      {data && (
        <>
          <p>
            <RecordLink type="message" id={data.message_id} /> · <RecordLink type="notification_handler" id={data.handler_id} />
          </p>
          <Summary delivery={data} />
          <Attempts delivery={data} />
          <Details delivery={data} />
        </>
      )}
    </Page>
  );
}

function Summary({ delivery }: { delivery: DeliveryWithLog }) {
  const { status, outcome, next_attempt, receipt, log } = delivery;
  const hasReason = outcome !== null && outcome !== 'delivered';
  const detail = log.at(-1)?.detail;
  return (
    <section class="card" aria-live="polite">
      <p>
        <StatusBadge status={status} />
      </p>
      <p>{t.deliveries.statusText[status]}</p>
      {hasReason && (
        <div>
          <p>
            <strong>{t.deliveries.outcomes[outcome]}.</strong> {t.deliveries.reasons[outcome]}
          </p>
          {detail !== undefined && <Detail text={detail} />}
        </div>
      )}
      {status === 'pending' && next_attempt !== null && (
        <p>
          {t.deliveries.nextAttempt}: <NextAttempt time={next_attempt} />
        </p>
      )}
      {receipt && <Receipt receipt={receipt} />}
    </section>
  );
}

function Details({ delivery: { message_id, handler_id, type, last_datetime, datetime } }: { delivery: DeliveryWithLog }) {
  return (
    <section class="card">
      <h2>{t.deliveries.details}</h2>
      <dl class="details">
        <dt>{t.deliveries.message}</dt>
        <dd>
          <RecordLink type="message" id={message_id} />
        </dd>
        <dt>{t.deliveries.handler}</dt>
        <dd>
          <RecordLink type="notification_handler" id={handler_id} />
        </dd>
        <dt>{t.deliveries.type}</dt>
        <dd>{t.handlers.types[type as keyof typeof t.handlers.types] ?? type}</dd>
        <dt>{t.deliveries.created}</dt>
        <dd>
          <Time value={datetime} />
        </dd>
        {last_datetime !== null && (
          <>
            <dt>{t.deliveries.changed}</dt>
            <dd>
              <Time value={last_datetime} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

const READ_AFTER_MS = 3_000;
/** Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An attempt that is followed by another is no event. */
function useReadAfterAttempt(delivery: DeliveryWithLog | undefined, reload: () => void): void {
  useEffect(() => {
    if (delivery?.status !== 'pending' || delivery.next_attempt === null) return;
    const wait = Math.max(parseTime(delivery.next_attempt).getTime() - Date.now(), 0) + READ_AFTER_MS;
    const timer = setTimeout(reload, Math.min(wait, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  }, [delivery, reload]);
}
