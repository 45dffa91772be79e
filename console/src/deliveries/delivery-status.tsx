import { t } from '../language/language';
import type { Delivery } from './delivery-reads';

const TONES = { pending: 'warning', delivered: 'success', failed: 'danger', cancelled: '' } as const;

export function StatusBadge({ status }: { status: Delivery['status'] }) {
  return <span class={`badge badge-${TONES[status]}`}>{t.deliveries.status[status]}</span>;
}

/** The status and the last failure. */
export function DeliveryStatus({ delivery: { status, outcome } }: { delivery: Delivery }) {
  return (
    <span class="status">
      <StatusBadge status={status} />
      {outcome !== null && outcome !== 'delivered' && <span class="muted">{t.deliveries.outcomes[outcome]}</span>}
    </span>
  );
}
