import { t } from '../language/language';
import { FrontdeskError } from './api';

type Violation = FrontdeskError['violations'][number];

/** What went wrong as a whole, in words that a person can act on. */
export function errorText(error: unknown): string {
  if (!(error instanceof FrontdeskError)) return t.errors.connection;
  const { code, status, requestId } = error;
  if (status === 0) return t.errors.connection;
  if (code === 'rate_limited') return t.errors.rateLimited;
  if (code === 'insufficient_scope') return forbiddenText(error);
  if (code === 'not_found') return t.errors.notFound;
  if (code === 'precondition_failed') return t.errors.stale;
  if (status === 503) return t.errors.unavailable;
  if (status >= 500) return t.errors.internal(requestId ?? '');
  return error.violations.map(violationText).join(' ') || error.message;
}

/** With the scopes that the key lacks, where the interface names them. */
function forbiddenText({ message }: FrontdeskError): string {
  const scopes = message.match(/\b[a-z-]+:[a-z]+\b/g);
  return scopes ? t.errors.forbiddenScopes(scopes.join(', ')) : t.errors.forbidden;
}

/** What the interface says of one input. */
export function violationText({ code, detail, source }: Violation): string {
  if (code === 'missing_parameter') return t.errors.missing;
  if (code === 'host_taken') return t.errors.hostTaken;
  return detail.replace(`${source?.name ?? ''} must `, 'Must '); // the label names the field already
}

export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div class="notice notice-danger" role="alert">
      <p>{errorText(error)}</p>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          {t.errors.retry}
        </button>
      )}
    </div>
  );
}
