import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ErrorNotice } from '../api/error-text';
import { t } from '../language/language';
import { useSession } from '../session/session';
import { Detail, NextAttempt } from './attempts';
import type { DeliveryWithLog } from './delivery-reads';
import { StatusBadge } from './delivery-status';
import type { Obstacle } from './obstacles';
import { Receipt } from './receipt';

interface SummaryProps {
  delivery: DeliveryWithLog;
  obstacle: Obstacle | undefined;
  /** DOM id of the text that says why the delivery can't be retried. */
  obstacleId: string;
  /** Result of the retry requested on this page. */
  result: string;
  onSwitchedOn: () => void;
}

/** The status, its reason, and what the user can do about it. */
export function Summary({ delivery, obstacle, obstacleId, result, onSwitchedOn }: SummaryProps) {
  const { status, next_attempt, receipt } = delivery;
  return (
    <section class="card">
      <div class="delivery-state" aria-live="polite">
        <StatusBadge status={status} />
        {result !== '' && <p>{result}</p>}
        {obstacle ? (
          <p class="notice" id={obstacleId}>
            {t.deliveries.obstacles[obstacle]}
          </p>
        ) : (
          <p>{t.deliveries.statusText[status]}</p>
        )}
        <Reason delivery={delivery} hasAdvice={obstacle === undefined} />
        {status === 'pending' && next_attempt !== null && (
          <p>
            {t.deliveries.nextAttempt}: <NextAttempt time={next_attempt} />
          </p>
        )}
        {receipt && <Receipt receipt={receipt} />}
      </div>
      {status === 'failed' && <Remedies handlerId={delivery.handler_id} obstacle={obstacle} onSwitchedOn={onSwitchedOn} />}
    </section>
  );
}

/** Why the last attempt failed. `hasAdvice`: whether to add advice, which is omitted while an obstacle must be removed first. */
function Reason({ delivery: { outcome, log }, hasAdvice }: { delivery: DeliveryWithLog; hasAdvice: boolean }) {
  if (outcome === null || outcome === 'delivered') return null;
  const detail = log.at(-1)?.detail;
  return (
    <div>
      <p>
        <strong>{t.deliveries.outcomes[outcome]}.</strong> {hasAdvice && t.deliveries.reasons[outcome]}
      </p>
      {detail !== undefined && <Detail text={detail} />}
    </div>
  );
}

interface RemediesProps {
  handlerId: number;
  obstacle: Obstacle | undefined;
  onSwitchedOn: () => void;
}

/** Ways to repair or replace a failed delivery. */
function Remedies({ handlerId, obstacle, onSwitchedOn }: RemediesProps) {
  const { may } = useSession();
  const isHandlerAtFault = obstacle !== 'handler_deleted' && obstacle !== 'delivery_expired';
  const isFinal = obstacle !== undefined && obstacle !== 'handler_off';
  return (
    <div class="actions">
      {obstacle === 'handler_off' && may('notification-handlers:write') && <SwitchOn handlerId={handlerId} onSwitchedOn={onSwitchedOn} />}
      {isHandlerAtFault && may('notification-handlers:read') && (
        <Link class="button" href={`/handlers/${handlerId}`}>
          {t.deliveries.openHandler}
        </Link>
      )}
      {isFinal && may('messages:write') && (
        <Link class="button" href="/messages/new">
          {t.deliveries.write}
        </Link>
      )}
    </div>
  );
}

function SwitchOn({ handlerId, onSwitchedOn }: Pick<RemediesProps, 'handlerId' | 'onSwitchedOn'>) {
  const { api } = useSession();
  const [isSwitching, setSwitching] = useState(false);
  const [error, setError] = useState<unknown>();
  const switchOn = (): void => {
    if (isSwitching) return;
    setSwitching(true);
    setError(undefined);
    const path = { notification_handler_id: handlerId };
    api
      .update('/api/notification-handlers/{notification_handler_id}', { path, body: { is_enabled: 1 } })
      .then(onSwitchedOn, setError)
      .finally(() => setSwitching(false));
  };
  return (
    <>
      <button type="button" class="button button-primary" aria-disabled={isSwitching} onClick={switchOn}>
        {t.handlers.switchOn}
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
