import { t, textFor } from '../language/language';
import { FrontdeskError } from './api';

type Violation = FrontdeskError['violations'][number];

/** Describes an error that concerns the whole request, in words that a user can act on. */
export function errorText(error: unknown): string {
  if (!(error instanceof FrontdeskError)) return t.errors.connection;
  const { code, status, requestId } = error;
  if (status === 0) return t.errors.connection;
  if (code === 'insufficient_scope') return forbiddenText(error);
  if (status === 503) return t.errors.codes.unavailable; // also from a proxy
  if (status >= 500) return t.errors.internal(requestId ?? '');
  return error.violations.map(violationText).join(' ') || textFor(t.errors.codes, code) || error.message;
}

/** Names the missing scopes if the API does. */
function forbiddenText({ message }: FrontdeskError): string {
  const scopes = message.match(/\b[a-z-]+:[a-z]+\b/g);
  return scopes ? t.errors.forbiddenScopes(scopes.join(', ')) : t.errors.codes.insufficient_scope;
}

/** Describes a violation by its field or its code; uses the API's own detail for codes unknown to the console. */
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
