import { t, textFor } from '../language/language';
import { FrontdeskError } from './api';

type Violation = FrontdeskError['violations'][number];

/** What went wrong as a whole, in words that a person can act on. */
export function errorText(error: unknown): string {
  if (!(error instanceof FrontdeskError)) return t.errors.connection;
  const { code, status, requestId } = error;
  if (status === 0) return t.errors.connection;
  if (code === 'insufficient_scope') return forbiddenText(error);
  if (status === 503) return t.errors.codes.unavailable; // a proxy's, too
  if (status >= 500) return t.errors.internal(requestId ?? '');
  return error.violations.map(violationText).join(' ') || textFor(t.errors.codes, code) || error.message;
}

/** With the scopes that the key lacks, where the interface names them. */
function forbiddenText({ message }: FrontdeskError): string {
  const scopes = message.match(/\b[a-z-]+:[a-z]+\b/g);
  return scopes ? t.errors.forbiddenScopes(scopes.join(', ')) : t.errors.codes.insufficient_scope;
}

/** Of one input: by its code, or by the field that takes something else. The interface's own words are for what isn't known here. */
export function violationText({ code, detail, source }: Violation): string {
  const ofField = code === 'invalid_parameter' ? textFor(t.errors.invalid, source?.name ?? '') : undefined;
  return ofField ?? textFor(t.errors.codes, code) ?? detail;
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
