import { useState } from 'preact/hooks';
import { ErrorNotice } from '../api/error-text';
import { language, t } from '../language/language';
import { Time } from '../language/times';
import { useSession } from '../session/session';
import type { Verification } from './domain-reads';

/** What the last look at DNS found, and a button for the next. */
export function LastCheck({ id, verification, onChecked }: { id: number; verification: Verification; onChecked: () => void }) {
  const { api, may } = useSession();
  const [isChecking, setChecking] = useState(false);
  const [result, setResult] = useState('');
  const [error, setError] = useState<unknown>();

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

  const { checked, next_check, problems } = verification;
  return (
    <section class="card">
      <h2>{t.domains.check}</h2>
      {checked === null ? <p>{t.domains.neverChecked}</p> : <Problems problems={problems} />}
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
        <dd>{next_check === null ? t.domains.noNextCheck : <Time value={next_check} isRelative />}</dd>
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
    </section>
  );
}

/** The detail is the interface's, in English. */
function Problems({ problems }: { problems: Verification['problems'] }) {
  if (problems.length === 0) return <p>{t.domains.noProblems}</p>;
  return (
    <ul class="problems">
      {problems.map(({ code, detail }) => (
        <li key={code}>
          <strong>{t.domains.problems[code]}</strong>
          <p class="muted" lang={language === 'en' ? undefined : 'en'}>
            {detail}
          </p>
        </li>
      ))}
    </ul>
  );
}
