import { useEffect } from 'preact/hooks';
import type { Schemas } from '../api/api';
import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { Time } from '../language/times';
import { RecordName } from '../records/record-link';
import { StatusBadge } from './delivery-counts';

type Message = Schemas['MessageRecord'];
type Delivery = Schemas['DeliveryRecord'];

const MAX_DELIVERIES = 1_000;

/** The timeline of a message with steps: the deliveries of each step, and why any were cancelled. */
export function MessageSteps({ message, version }: { message: Message; version: number }) {
  const query = { message_id: message.id, results_per_page: MAX_DELIVERIES } as const;
  const { data, reload } = useRead(`steps of ${message.id}`, (api, signal) => api.get('/api/deliveries', { query, signal }));
  useEffect(() => {
    if (version > 0) reload();
  }, [version]);
  const deliveries = data?.data ?? [];
  return (
    <section class="card">
      <h2>{t.messages.steps}</h2>
      <p>{message.until === 'delivered' ? t.messages.untilDelivered : t.messages.untilAcknowledged}</p>
      <ol class="steps" aria-busy={!data}>
        {!data &&
          Array.from({ length: Math.min(countOf(message), 10) }, (_, index) => (
            <li key={-index}>
              <span class="skeleton" aria-hidden="true" />
            </li>
          ))}
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <Time value={delivery.next_attempt ?? delivery.last_datetime ?? delivery.datetime} />{' '}
            <RecordName type="notification_handler" id={delivery.handler_id} /> <StatusBadge status={delivery.status} />
            {delivery.status === 'cancelled' && <span class="muted"> {reasonOf(message, delivery, deliveries)}</span>}
          </li>
        ))}
      </ol>
      {message.acknowledged && (
        <p>
          {t.messages.acknowledgedSince} <Time value={message.acknowledged.datetime} />{' '}
          {message.acknowledged.delivery_id === null ? t.messages.acknowledgedByKey : t.messages.acknowledgedByLink}
        </p>
      )}
    </section>
  );
}

function countOf({ deliveries }: Message): number {
  return Object.values(deliveries ?? {}).reduce((sum, count) => sum + count, 0);
}

function reasonOf({ until, acknowledged }: Message, { step }: Delivery, deliveries: readonly Delivery[]): string {
  if (acknowledged) return t.messages.endedByAcknowledgement;
  const hasArrived = deliveries.some((other) => other.status === 'delivered' && other.step < step);
  return until === 'delivered' && hasArrived ? t.messages.endedByDelivery : '';
}
