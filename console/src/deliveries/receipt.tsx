import { t } from '../language/language';
import { Time } from '../language/times';
import type { Delivery } from './delivery-reads';

/** The status that Twilio has reported. */
export function Receipt({ receipt: { status, code, datetime } }: { receipt: NonNullable<Delivery['receipt']> }) {
  return (
    <p>
      <strong>{t.deliveries.receipt}:</strong> {t.deliveries.receipts[status]}{' '}
      {code !== null && (
        <a href={`https://www.twilio.com/docs/api/errors/${code}`} target="_blank" rel="noreferrer">
          {t.deliveries.receiptCode(String(code))}
        </a>
      )}{' '}
      <span class="muted">
        <Time value={datetime} isRelative />
      </span>
    </p>
  );
}
