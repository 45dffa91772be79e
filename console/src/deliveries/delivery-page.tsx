import { useEffect, useId, useRef } from 'preact/hooks';
import { hasCode } from '../api/api';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { parseTime } from '../language/times';
import { BlockSkeleton } from '../lists/skeletons';
import { useLive } from '../live/live';
import { RecordLink } from '../records/record-link';
import { RecordTimes } from '../records/record-times';
import { useSession } from '../session/session';
import { Gone, Page } from '../shell/page';
import { Attempts } from './attempts';
import { type DeliveryWithLog, readDelivery, retryEach } from './delivery-reads';
import { Summary } from './delivery-summary';
import { useRetries } from './use-retries';

export function DeliveryPage({ id }: { id: number }) {
  const { api, may } = useSession();
  const { data, error, reload } = useRead(`delivery ${id}`, (api, signal) =>
    readDelivery(api, id, may('notification-handlers:read'), signal),
  );
  const { delivery, obstacle } = data ?? {};
  const retryButton = useRef<HTMLButtonElement>(null);
  const obstacleId = useId();
  const retriedAfter = useRef(Infinity);
  const retries = useRetries(reload);
  useLive('delivery.', (events) => {
    if (events.length === 0 || events.some(({ record }) => record?.id === id)) reload();
  });
  useLive('notification_handler.', (events) => {
    if (events.length === 0 || events.some(({ record }) => record?.id === delivery?.handler_id)) reload();
  });
  useReadAfterAttempt(delivery, reload);
  if (hasCode(error, 'not_found') || hasCode(error, 'invalid_parameter')) return <Gone list={['/deliveries', t.pages.deliveries]} />;

  const hasFailed = delivery?.status === 'failed';
  const mayRetry = hasFailed && obstacle === undefined;
  const isRetriedHere = retries.isRunning || retries.result !== ''; // keeps the button, and with it the focus
  const hasNewAttempt = delivery !== undefined && delivery.log.length > retriedAfter.current; // replaces the notice that a retry was requested
  const retryNow = (): void => {
    if (!mayRetry || !delivery) return;
    retriedAfter.current = delivery.log.length;
    retries.run(() => retryEach(api, [delivery]));
  };
  const reloadAndFocus = (): void => {
    reload();
    retryButton.current?.focus(); // because the pressed button disappears
  };
  const retry = may('messages:write') && (hasFailed || isRetriedHere) && (
    <button
      ref={retryButton}
      type="button"
      class="button button-primary"
      aria-disabled={retries.isRunning || !mayRetry}
      aria-describedby={obstacle && obstacleId}
      onClick={retryNow}
    >
      {t.deliveries.retry}
    </button>
  );
  return (
    <Page title={t.deliveries.title(String(id))} parent={['/deliveries', t.pages.deliveries]} actions={retry}>
      {[error, retries.error].map((each) => each !== undefined && <ErrorNotice error={each} retry={reload} />)}
      {!data && error === undefined && <BlockSkeleton />}
      {delivery && (
        <>
          <p class="line">
            <RecordLink type="message" id={delivery.message_id} /> · <RecordLink type="notification_handler" id={delivery.handler_id} />
          </p>
          <Summary
            delivery={delivery}
            obstacle={obstacle}
            obstacleId={obstacleId}
            result={retries.isRunning ? t.deliveries.retryRunning : hasNewAttempt ? '' : retries.result}
            onSwitchedOn={reloadAndFocus}
          />
          <Attempts delivery={delivery} />
          <Details delivery={delivery} />
        </>
      )}
    </Page>
  );
}

function Details({ delivery }: { delivery: DeliveryWithLog }) {
  const { message_id, handler_id, type } = delivery;
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
        <RecordTimes record={delivery} created={t.deliveries.created} changed={t.deliveries.changed} />
      </dl>
    </section>
  );
}

const READ_AFTER_MS = 3_000;
/** Browsers fire longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Reads again once an attempt was due: a failed attempt that will be retried causes no event. */
function useReadAfterAttempt(delivery: DeliveryWithLog | undefined, reload: () => void): void {
  useEffect(() => {
    if (delivery?.status !== 'pending' || delivery.next_attempt === null) return;
    const wait = Math.max(parseTime(delivery.next_attempt).getTime() - Date.now(), 0) + READ_AFTER_MS;
    const timer = setTimeout(reload, Math.min(wait, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  }, [delivery, reload]);
}
