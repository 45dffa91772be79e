import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { ConfirmButton } from '../dialogs/confirm-button';
import { getReader } from '../events/event-reader';
import { useDraftForm } from '../forms/use-draft-form';
import { SelectField, TextField } from '../forms/fields';
import { FormPanel } from '../forms/form';
import { fieldError } from '../forms/use-form';
import { isolated, t } from '../language/language';
import { formatNumber, parseTime, Time } from '../language/times';
import { BlockSkeleton } from '../lists/skeletons';
import { momentOf, toLocal, toRfc3339, ZONE } from '../messages/moments';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { readHandler, readReplay } from './handler-reads';
import type { Handler, HandlerType } from './handler-types';

const READ_AFTER_MS = 2_000;

/** Shows the progress of a replay, or a form to start one. */
export function Replay({ id }: { id: number }) {
  const { api } = useSession();
  const { data, error, reload } = useRead(`handler replay ${id}`, async (api, signal) => ({ replay: await readReplay(api, id, signal) }));
  useEffect(() => {
    if (!data?.replay) return;
    const timer = setTimeout(reload, READ_AFTER_MS);
    return () => clearTimeout(timer);
  }, [data, reload]);
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return null;
  const end = async (): Promise<void> => {
    await api.delete('/api/notification-handlers/{notification_handler_id}/replay', { path: { notification_handler_id: id } });
    reload();
  };
  if (!data.replay)
    return (
      <Link class="button" href={`/handlers/${id}/replay`}>
        {t.handlers.replay}
      </Link>
    );
  const { sent, left, waits_until: waitsUntil } = data.replay;
  return (
    <>
      <span role="status">
        {t.handlers.replaying(formatNumber(sent), formatNumber(left))}
        {waitsUntil && (
          <>
            {' '}
            {t.handlers.replayWaits} <Time value={waitsUntil} />
          </>
        )}
      </span>
      <ConfirmButton
        action={t.handlers.endReplay}
        busyText={t.handlers.endingReplay}
        title={t.handlers.endReplayTitle}
        text={t.handlers.endReplayText}
        run={end}
      />
    </>
  );
}

export function HandlerReplayPage({ id }: { id: number }) {
  const { data, error, reload } = useRead(`handler and switches ${id}`, async (api, signal) => {
    const [{ handler }, { events }] = await Promise.all([
      readHandler(api, id, signal),
      getReader(api, 'notification_handler.updated').read(signal),
    ]);
    const switches = events.filter(({ record, data }) => record?.id === id && isSwitch(data));
    // Only an enabled handler can have a replay, so the newest event switched it on, and the one before switched it off.
    return { handler, lastSwitchedOff: (switches[1] ?? switches[0])?.datetime };
  });
  if (data) return <ReplayForm handler={data.handler} switchedOff={data.lastSwitchedOff} />;
  return (
    <Page title={t.handlers.replay} parent={[`/handlers/${id}`, t.pages.handlers]}>
      {error === undefined ? <BlockSkeleton /> : <ErrorNotice error={error} retry={reload} />}
    </Page>
  );
}

/** Twilio types, whose messages cost money. */
const PAID_TYPES: ReadonlySet<HandlerType> = new Set(['twilio', 'twilio_call', 'whatsapp']);

function ReplayForm({ handler: { id, name, type }, switchedOff }: { handler: Handler; switchedOff: string | undefined }) {
  const { api } = useSession();
  const page = `/handlers/${id}`;
  const from = switchedOff === undefined ? '' : toLocal(parseTime(switchedOff));
  const form = useDraftForm({ from, until: '', confirm: '0' }, async (values) => {
    const [from, until] = [momentOf(values.from), momentOf(values.until)];
    if (!from) throw fieldError('from', t.messages.chooseTime);
    await api.post('/api/notification-handlers/{notification_handler_id}/replay', {
      path: { notification_handler_id: id },
      body: { from: toRfc3339(from), ...(until && { until: toRfc3339(until) }), confirm: values.confirm === '1' },
    });
    return page;
  });
  return (
    <Page title={t.handlers.replayTitle(isolated(name))} parent={[page, name]}>
      <p class="lead">{t.handlers.replayText}</p>
      <FormPanel form={form} back={page} submitText={t.handlers.startReplay} submittingText={t.messages.sending}>
        <TextField
          form={form}
          name="from"
          type="datetime-local"
          label={t.handlers.replayFrom}
          hint={`${switchedOff === undefined ? '' : `${t.handlers.replayFromHint} `}${t.messages.inZone(ZONE)}`}
        />
        <TextField
          form={form}
          name="until"
          type="datetime-local"
          label={t.handlers.replayUntil}
          hint={t.messages.inZone(ZONE)}
          isOptional
        />
        {PAID_TYPES.has(type) && (
          <SelectField
            form={form}
            name="confirm"
            label={t.handlers.replayConfirm}
            options={[
              ['0', t.handlers.replayNo],
              ['1', t.handlers.replayYes],
            ]}
          />
        )}
      </FormPanel>
    </Page>
  );
}

function isSwitch(data: object): boolean {
  return 'changed' in data && Array.isArray(data.changed) && data.changed.includes('is_enabled');
}
