import { useState } from 'preact/hooks';
import { FrontdeskError, hasCode, type Schemas } from '../api/api';
import { errorText } from '../api/error-text';
import { isolated, language, t } from '../language/language';
import { formatNumber } from '../language/times';
import { useSession } from '../session/session';
import type { Handler } from './handler-types';

type Attempt = Schemas['AttemptRecord'];

/** Sends a test at once, even through a disabled handler. */
export function HandlerTest({ handler }: { handler: Handler }) {
  const { api } = useSession();
  const [isTesting, setTesting] = useState(false);
  const [attempt, setAttempt] = useState<Attempt>();
  const [error, setError] = useState<unknown>();

  const test = (): void => {
    if (isTesting) return;
    setTesting(true);
    setAttempt(undefined);
    setError(undefined);
    api
      .post('/api/notification-handlers/{notification_handler_id}/test', { path: { notification_handler_id: handler.id } })
      .then(({ data }) => setAttempt(data), setError)
      .finally(() => setTesting(false));
  };

  return (
    <section class="card">
      <h2>{t.handlers.test}</h2>
      <p class="muted">{t.handlers.testText}</p>
      <div class="with-result">
        <div class="actions">
          <button type="button" class="button button-primary" aria-disabled={isTesting} onClick={test}>
            {isTesting ? t.handlers.testing : t.handlers.sendTest}
          </button>
        </div>
        <div role="status">{attempt && <Outcome attempt={attempt} handler={handler} />}</div>
        <div role="alert">{error !== undefined && <p class="notice notice-danger">{testError(error)}</p>}</div>
      </div>
    </section>
  );
}

/** The detail comes from the API, in English. */
function Outcome({ attempt, handler }: { attempt: Attempt; handler: Handler }) {
  const { outcome, detail, duration_ms } = attempt;
  const isDelivered = outcome === 'delivered';
  return (
    <div class="outcome">
      <span class={isDelivered ? 'badge badge-success' : 'badge badge-danger'}>
        {isDelivered ? t.handlers.arrived : t.handlers.notArrived}
      </span>
      <p>{isDelivered ? t.handlers.delivered(`Test of ${isolated(handler.name)}`) : t.handlers.outcomes[outcome]}</p>
      <p class="muted">
        <span lang={language === 'en' ? undefined : 'en'}>{detail}</span> {t.handlers.took(formatNumber(duration_ms))}
      </p>
    </div>
  );
}

function testError(error: unknown): string {
  const wait = error instanceof FrontdeskError && hasCode(error, 'rate_limited') ? error.retryAfter : null;
  return wait === null ? errorText(error) : t.handlers.testLimit(formatNumber(wait));
}
