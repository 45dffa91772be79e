import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { hasCode } from '../api/api';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { ConfirmButton } from '../dialogs/confirm-button';
import { DeleteButton } from '../dialogs/delete-button';
import { LongText } from '../language/caller-text';
import { isolated, t, visible } from '../language/language';
import { BlockSkeleton } from '../lists/skeletons';
import { useLive } from '../live/live';
import { RecordTimes } from '../records/record-times';
import { useSession } from '../session/session';
import { Gone, Page } from '../shell/page';
import { HandlerEventsCard } from './handler-events';
import { EnabledBadge } from './handler-list';
import { readHandler } from './handler-reads';
import { HandlerTest } from './handler-test';
import { type Handler, settingOf, SETTINGS } from './handler-types';
import { Secret } from './secret';
import { SigningSecret } from './signing-secret';

export function HandlerPage({ id }: { id: number }) {
  const { api, may } = useSession();
  const [, navigate] = useLocation();
  const { data, error, reload } = useRead(`handler ${id}`, (api, signal) => readHandler(api, id, signal));
  useLive('notification_handler.', (events) => {
    if (events.length === 0 || events.some(({ record }) => record?.id === id)) reload();
  });
  if (hasCode(error, 'not_found') || hasCode(error, 'invalid_parameter')) return <Gone list={['/handlers', t.pages.handlers]} />;

  const remove = async (): Promise<void> => {
    await api.delete('/api/notification-handlers/{notification_handler_id}', { path: { notification_handler_id: id } });
    navigate('/handlers');
  };
  const handler = data?.handler;
  const actions = handler && may('notification-handlers:write') && (
    <>
      <Link class="button" href={`/handlers/${id}/edit`}>
        {t.handlers.edit}
      </Link>
      <DeleteButton name={handler.name} text={t.handlers.deleteText} remove={remove} />
    </>
  );
  return (
    <Page title={handler ? visible(handler.name) : t.pages.handlers} parent={['/handlers', t.pages.handlers]} actions={actions}>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {!handler && error === undefined && <BlockSkeleton />}
      {handler && (
        <>
          <Switch handler={handler} onSwitched={reload} />
          {may('messages:write') && <HandlerTest handler={handler} />}
          <Details handler={handler} />
          {handler.type === 'webhook' && may('secrets:read') && <SigningSecret handler={handler} />}
          <HandlerEventsCard handler={handler} />
        </>
      )}
    </Page>
  );
}

function Switch({ handler, onSwitched }: { handler: Handler; onSwitched: () => void }) {
  const { api, may } = useSession();
  const [isSwitching, setSwitching] = useState(false);
  const [error, setError] = useState<unknown>();
  const actions = useRef<HTMLDivElement>(null);
  const wasEnabled = useRef(handler.is_enabled);
  const { id, is_enabled: isEnabled } = handler;
  useEffect(() => {
    const isPressedGone = wasEnabled.current !== isEnabled && document.activeElement === document.body;
    wasEnabled.current = isEnabled;
    if (isPressedGone) actions.current?.querySelector('button')?.focus();
  }, [isEnabled]);
  const switchTo = async (is_enabled: 0 | 1): Promise<void> => {
    const path = { notification_handler_id: id };
    await api.update('/api/notification-handlers/{notification_handler_id}', { path, body: { is_enabled } });
    onSwitched();
  };
  const switchOn = (): void => {
    if (isSwitching) return;
    setSwitching(true);
    setError(undefined);
    switchTo(1)
      .catch(setError)
      .finally(() => setSwitching(false));
  };
  return (
    <section class="card">
      <div class="handler-state" role="status">
        <EnabledBadge isEnabled={isEnabled} />
        <p>{isEnabled ? t.handlers.onText : t.handlers.offText}</p>
      </div>
      <div class="actions" ref={actions}>
        {may('notification-handlers:write') &&
          (isEnabled ? (
            <ConfirmButton
              action={t.handlers.switchOff}
              busyText={t.handlers.switchingOff}
              title={t.handlers.switchOffTitle(isolated(handler.name))}
              text={t.handlers.switchOffText}
              run={() => switchTo(0)}
            />
          ) : (
            <button type="button" class="button" aria-disabled={isSwitching} onClick={switchOn}>
              {t.handlers.switchOn}
            </button>
          ))}
        {may('messages:read') && (
          <Link class="button" href={`/deliveries?handler_id=${id}&status=failed`}>
            {t.handlers.failedDeliveries}
          </Link>
        )}
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
    </section>
  );
}

function Details({ handler }: { handler: Handler }) {
  const fields = SETTINGS[handler.type];
  const isIncomplete = fields.some(({ name }) => settingOf(handler, name) === '');
  return (
    <section class="card">
      <h2>{t.handlers.details}</h2>
      {isIncomplete && <p class="notice">{t.handlers.incomplete}</p>}
      <dl class="details">
        <dt>{t.handlers.type}</dt>
        <dd>{t.handlers.types[handler.type]}</dd>
        {fields.map(({ name, isSecret }) => {
          const value = settingOf(handler, name);
          return [
            <dt key={`${name} term`}>{t.handlers.settings[name]}</dt>,
            <dd key={name}>
              {isSecret ? (
                <Secret key={value} value={value} of={t.handlers.settings[name]} />
              ) : (
                <LongText text={value || t.handlers.notSet} />
              )}
            </dd>,
          ];
        })}
        <RecordTimes record={handler} created={t.handlers.added} changed={t.handlers.changed} />
      </dl>
    </section>
  );
}
