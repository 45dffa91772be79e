import { language, t } from '../language/language';
import { formatNumber, parseTime, Time } from '../language/times';
import type { Attempt, DeliveryWithLog } from './delivery-reads';

interface AttemptsProps {
  delivery: DeliveryWithLog;
  /** Whether to say what can be done about a failure. */
  hasAdvice: boolean;
}

/** A timeline, the newest above. */
export function Attempts({ delivery: { status, next_attempt, datetime, log }, hasAdvice }: AttemptsProps) {
  return (
    <section class="card">
      <h2>{t.deliveries.history}</h2>
      <ol class="timeline" reversed>
        {status === 'pending' && next_attempt !== null && (
          <li class="timeline-next">
            <p>
              <strong>{t.deliveries.nextAttempt}</strong> <NextAttempt time={next_attempt} />
            </p>
          </li>
        )}
        {log.toReversed().map((attempt, index) => (
          <AttemptEntry key={log.length - index} attempt={attempt} hasAdvice={hasAdvice} />
        ))}
        <li>
          <p>
            <strong>{t.deliveries.created}</strong> <Time value={datetime} />
          </p>
        </li>
      </ol>
    </section>
  );
}

export function NextAttempt({ time }: { time: string }) {
  return parseTime(time).getTime() <= Date.now() ? <>{t.deliveries.soon}</> : <Time value={time} isRelative />;
}

function AttemptEntry({ attempt, hasAdvice }: { attempt: Attempt; hasAdvice: boolean }) {
  const { number, datetime, duration_ms, outcome, status, detail } = attempt;
  const isAttempt = outcome !== 'expired';
  return (
    <li class={outcome === 'delivered' ? 'timeline-success' : 'timeline-danger'}>
      <p>
        <strong>
          {isAttempt && `${t.deliveries.attempt(formatNumber(number))}: `}
          {t.deliveries.outcomes[outcome]}
        </strong>
      </p>
      <p class="muted">
        <Time value={datetime} />
        {status !== null && ` · ${t.deliveries.answer(String(status))}`}
        {isAttempt && ` · ${t.deliveries.took(formatNumber(duration_ms))}`}
      </p>
      {hasAdvice && <p>{t.deliveries.reasons[outcome]}</p>}
      <Detail text={detail} />
    </li>
  );
}

/** What the interface says of it, in English. */
export function Detail({ text }: { text: string }) {
  return (
    <p class="muted" lang={language === 'en' ? undefined : 'en'}>
      {text}
    </p>
  );
}
