import { useEffect, useState } from 'preact/hooks';
import { ErrorNotice } from '../api/error-text';
import { t } from '../language/language';
import { parseTime, Time } from '../language/times';
import { useSession } from '../session/session';
import type { Verification } from './domain-reads';

const READ_AFTER_MS = 5_000;
/** Browsers fire longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The result of the last DNS check, and a button for the next. */
export function LastCheck({ id, verification, onChecked }: { id: number; verification: Verification; onChecked: () => void }) {
  const { api, may } = useSession();
  const [isChecking, setChecking] = useState(false);
  const [result, setResult] = useState('');
  const [error, setError] = useState<unknown>();

  const { checked, next_check, problems } = verification;
  // A check that doesn't change the status causes no event.
  useEffect(() => {
    if (next_check === null) return;
    const wait = Math.max(parseTime(next_check).getTime() - Date.now(), 0) + READ_AFTER_MS;
    const timer = setTimeout(onChecked, Math.min(wait, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  }, [verification, onChecked]);

  const check = (): void => {
    if (isChecking) return;
    setChecking(true);
    setError(undefined);
    setResult('');
    api
      .post('/api/domains/{domain_id}/verification', { path: { domain_id: id } })
      .then(({ data }) => {
        setResult(t.domains.checked(t.domains.status[data.status]));
        onChecked();
      })
      .catch(setError)
      .finally(() => setChecking(false));
  };

  return (
    <section class="card">
      <h2>{t.domains.check}</h2>
      <dl class="details">
        {checked !== null && (
          <>
            <dt>{t.domains.checkedAt}</dt>
            <dd>
              <Time value={checked} isRelative />
            </dd>
          </>
        )}
        <dt>{t.domains.nextCheck}</dt>
        <dd>{<NextCheck time={next_check} />}</dd>
      </dl>
      {may('domains:write') && (
        <div class="actions">
          <button type="button" class="button button-primary" aria-disabled={isChecking} onClick={check}>
            {isChecking ? t.domains.checking : t.domains.checkNow}
          </button>
          <span role="status">{result}</span>
        </div>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      {checked === null ? <p>{t.domains.neverChecked}</p> : <Problems problems={problems} />}
    </section>
  );
}

function NextCheck({ time }: { time: string | null }) {
  if (time === null) return <>{t.domains.noNextCheck}</>;
  return parseTime(time).getTime() <= Date.now() ? <>{t.domains.soon}</> : <Time value={time} isRelative />;
}

/** Advice on each problem, by code, with the API's English detail. Codes unknown to the console have only the detail. */
function Problems({ problems }: { problems: Verification['problems'] }) {
  if (problems.length === 0) return <p>{t.domains.noProblems}</p>;
  return (
    <ul class="problems">
      {problems.map(({ code, detail }) => (
        <li key={code}>
          {code in t.domains.problems ? (
            <>
              <strong>{t.domains.problems[code]}</strong>
              <p>{t.domains.advice[code]}</p>
              <details class="muted">
                <summary>{t.domains.found}</summary>
                <p lang="en">{detail}</p>
              </details>
            </>
          ) : (
            <p lang="en">{detail}</p>
          )}
        </li>
      ))}
    </ul>
  );
}
