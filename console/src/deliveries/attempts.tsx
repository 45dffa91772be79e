import { language, t, visible } from '../language/language';
import { formatNumber, parseTime, Time } from '../language/times';
import type { Attempt, DeliveryWithLog } from './delivery-reads';

/** One line per attempt, newest first. The summary says what to do about the last one. */
export function Attempts({ delivery: { status, next_attempt, datetime, log } }: { delivery: DeliveryWithLog }) {
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
          <AttemptEntry key={log.length - index} attempt={attempt} />
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

function AttemptEntry({ attempt }: { attempt: Attempt }) {
  const { number, datetime, duration_ms, outcome, status, detail } = attempt;
  const isAttempt = outcome !== 'expired';
  return (
    <li class={outcome === 'delivered' ? 'timeline-success' : 'timeline-danger'}>
      <details>
        <summary>
          <strong>
            {isAttempt && `${t.deliveries.attempt(formatNumber(number))}: `}
            {t.deliveries.outcomes[outcome]}
          </strong>{' '}
          <span class="muted">
            <Time value={datetime} />
            {status !== null && ` · ${t.deliveries.answer(String(status))}`}
            {isAttempt && ` · ${t.deliveries.took(formatNumber(duration_ms))}`}
          </span>
        </summary>
        <Detail text={detail} />
      </details>
    </li>
  );
}

/** A detail from the API, in English. */
export function Detail({ text }: { text: string }) {
  return (
    <p class="muted" lang={language === 'en' ? undefined : 'en'}>
      {visible(text)}
    </p>
  );
}
