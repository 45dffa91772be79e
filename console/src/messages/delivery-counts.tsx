import type { Schemas } from '../api/api';
import { t } from '../language/language';
import { formatNumber } from '../language/times';

export type DeliveryStatus = Schemas['DeliveryRecord']['status'];

const TONES = { pending: 'badge-warning', delivered: 'badge-success', failed: 'badge-danger', cancelled: '' } as const;
export const STATUSES = Object.keys(TONES) as DeliveryStatus[];

/** Number of deliveries by status; statuses with none are omitted. */
export function DeliveryCounts({ counts }: { counts: Schemas['MessageRecord']['deliveries'] }) {
  const shown = STATUSES.filter((status) => counts && counts[status] > 0);
  if (!counts || shown.length === 0) return <span class="muted">{t.messages.noDeliveries}</span>;
  return (
    <span class="badges">
      {shown.map((status) => (
        <span key={status} class={`badge ${TONES[status]}`}>
          {t.messages.statuses[status](counts[status], formatNumber(counts[status]))}
        </span>
      ))}
    </span>
  );
}

export function StatusBadge({ status }: { status: DeliveryStatus }) {
  return <span class={`badge ${TONES[status]}`}>{t.messages.status[status]}</span>;
}
