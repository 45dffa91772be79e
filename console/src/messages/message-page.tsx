import { useEffect, useRef, useState } from 'preact/hooks';
import { hasCode, type Schemas } from '../api/api';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { ConfirmButton } from '../dialogs/confirm-button';
import { LongText } from '../language/caller-text';
import { isolated, t, visible } from '../language/language';
import { formatNumber, parseTime, Time } from '../language/times';
import { BlockSkeleton } from '../lists/skeletons';
import { useLive } from '../live/live';
import { useSession } from '../session/session';
import { Gone, Page } from '../shell/page';
import { DeliveryCounts } from './delivery-counts';
import { headingOf } from './headings';
import { MessageDeliveries } from './message-deliveries';
import { MessageSteps } from './message-steps';
import { useBatchedCall } from './use-batched-call';

type Message = Schemas['MessageRecord'];

export function MessagePage({ id }: { id: number }) {
  const { may } = useSession();
  const { data, error, reload } = useRead(`message ${id}`, (api, signal) =>
    api.get('/api/messages/{message_id}', { path: { message_id: id }, signal }),
  );
  const [version, setVersion] = useState(0);
  const readAgain = useBatchedCall(() => {
    reload();
    setVersion((count) => count + 1);
  });
  useLive('message.', (events) => {
    if (events.some((event) => event.record?.id === id)) readAgain();
  });
  useLive('delivery.', (events) => {
    if (events.length === 0 || events.some((event) => 'message_id' in event.data && event.data.message_id === id)) readAgain();
  });
  if (hasCode(error, 'not_found') || hasCode(error, 'invalid_parameter')) return <Gone list={['/messages', t.pages.messages]} />;

  const message = data?.data;
  return (
    <Page title={message ? headingOf(message) : t.pages.messages} parent={['/messages', t.pages.messages]}>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {!message && error === undefined && <BlockSkeleton />}
      {message && (
        <>
          <section class="card">
            <h2>{t.messages.state}</h2>
            <div role="status">
              <DeliveryCounts counts={message.deliveries} />
            </div>
            <p>{stateText(message)}</p>
            {may('messages:write') && <Acknowledgement message={message} onAcknowledged={readAgain} />}
            {may('messages:write') && <Cancellation message={message} onCancelled={readAgain} />}
          </section>
          {message.until !== null && <MessageSteps message={message} version={version} />}
          <Content message={message} />
          <MessageDeliveries messageId={id} version={version} onDue={readAgain} />
        </>
      )}
    </Page>
  );
}

function stateText({ deliveries, send_at, until, acknowledged }: Message): string {
  const { pending = 0, failed = 0 } = deliveries ?? {};
  if (pending > 0 && send_at !== null && parseTime(send_at).getTime() > Date.now()) return t.messages.stateWaiting;
  if (until === 'acknowledged' && !acknowledged) return t.messages.stateUnacknowledged;
  if (pending > 0) return t.messages.statePending;
  return failed > 0 ? t.messages.stateFailed : t.messages.stateDone;
}

/** Acknowledges the message, which can't be undone. */
function Acknowledgement({ message, onAcknowledged }: { message: Message; onAcknowledged: () => void }) {
  const { api } = useSession();
  if (message.until !== 'acknowledged' || message.acknowledged) return null;
  const acknowledge = async (): Promise<void> => {
    await api.post('/api/messages/{message_id}/acknowledgement', { path: { message_id: message.id } });
    onAcknowledged();
  };
  return (
    <div class="actions">
      <ConfirmButton
        action={t.messages.acknowledge}
        busyText={t.messages.acknowledging}
        title={t.messages.acknowledgeTitle(isolated(headingOf(message)))}
        text={t.messages.acknowledgeText}
        run={acknowledge}
      />
    </div>
  );
}

/** The button disappears once nothing is left to cancel; the result then gets the focus. */
function Cancellation({ message, onCancelled }: { message: Message; onCancelled: () => void }) {
  const { api } = useSession();
  const [counts, setCounts] = useState<Schemas['CancellationCounts']>();
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (counts) result.current?.focus();
  }, [counts]);
  const cancel = async (): Promise<void> => {
    const { data } = await api.post('/api/messages/{message_id}/cancellation', { path: { message_id: message.id } });
    setCounts(data);
    onCancelled();
  };
  return (
    <>
      {(message.deliveries?.pending ?? 0) > 0 && (
        <div class="actions">
          <ConfirmButton
            action={t.messages.cancel}
            busyText={t.messages.cancelling}
            title={t.messages.cancelTitle(isolated(headingOf(message)))}
            text={t.messages.cancelText}
            cancel={t.messages.keep}
            run={cancel}
          />
        </div>
      )}
      {counts && (
        <div class="notice" tabIndex={-1} ref={result}>
          <ul class="plain">
            <li>{t.messages.cancelled(counts.cancelled, formatNumber(counts.cancelled))}</li>
            <li>{t.messages.atWork(counts.at_work, formatNumber(counts.at_work))}</li>
            <li>{t.messages.finished(counts.finished, formatNumber(counts.finished))}</li>
          </ul>
        </div>
      )}
    </>
  );
}

function Content({ message }: { message: Message }) {
  const { title, text, url, datetime, send_at, expires_at, repeats } = message;
  return (
    <section class="card">
      <h2>{t.messages.message}</h2>
      {title !== '' && title !== headingOf(message) && <p class="message-title">{visible(title)}</p>}
      <p class="message-text">{visible(text)}</p>
      {url !== '' && (
        <p>
          <LongText text={url} href={url} />
        </p>
      )}
      <dl class="details">
        <dt>{t.messages.written}</dt>
        <dd>
          <Time value={datetime} />
        </dd>
        <dt>{t.messages.sendAt}</dt>
        <dd>{send_at === null ? t.messages.atOnce : <Time value={send_at} />}</dd>
        <dt>{t.messages.expiresAt}</dt>
        <dd>{expires_at === null ? t.messages.never : <Time value={expires_at} />}</dd>
        {repeats > 0 && (
          <>
            <dt>{t.messages.repeats}</dt>
            <dd>{formatNumber(repeats)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}
