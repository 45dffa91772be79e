import { useState } from 'preact/hooks';
import { ErrorNotice } from '../api/error-text';
import { ConfirmButton } from '../dialogs/confirm-button';
import { CopyButton } from '../forms/copy-button';
import { isolated, t } from '../language/language';
import { useSession } from '../session/session';
import type { Handler } from './handler-types';

const PATH = '/api/notification-handlers/{notification_handler_id}/signing-secret';

/** Reads the secret only when the user requests it. */
export function SigningSecret({ handler }: { handler: Handler }) {
  const { api, may } = useSession();
  const [secret, setSecret] = useState<string>();
  const [isReplaced, setReplaced] = useState(false);
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<unknown>();
  const path = { notification_handler_id: handler.id };

  const toggle = (): void => {
    setError(undefined);
    setReplaced(false);
    if (secret !== undefined) return setSecret(undefined);
    if (isReading) return;
    setReading(true);
    api
      .get(PATH, { path })
      .then(({ data }) => setSecret(data.secret), setError)
      .finally(() => setReading(false));
  };
  const replace = async (): Promise<void> => {
    const { data } = await api.post(PATH, { path });
    setSecret(data.secret);
    setReplaced(true);
    setError(undefined);
  };
  return (
    <section class="card">
      <h2>{t.handlers.secret}</h2>
      <p class="muted">{t.handlers.secretText}</p>
      {secret !== undefined && (
        <div class="copyable">
          <code>{secret}</code>
          <CopyButton value={secret} of={t.handlers.secret} />
        </div>
      )}
      <div class="with-result">
        <div class="actions">
          <button type="button" class="button" aria-disabled={isReading} onClick={toggle}>
            {secret === undefined ? t.handlers.showSecret : t.handlers.hideSecret}
          </button>
          {may('notification-handlers:write') && (
            <ConfirmButton
              action={t.handlers.replace}
              busyText={t.handlers.replacing}
              title={t.handlers.replaceTitle(isolated(handler.name))}
              text={t.handlers.replaceText}
              run={replace}
            />
          )}
        </div>
        <div role="status">{isReplaced && <p class="notice">{t.handlers.replaced}</p>}</div>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
    </section>
  );
}
