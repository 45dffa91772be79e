import { useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { FieldSet, listOf, Radios } from '../forms/choices';
import { useDraftForm } from '../forms/use-draft-form';
import { TextField } from '../forms/fields';
import { FormPanel } from '../forms/form';
import { type Form, fieldError } from '../forms/use-form';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { HandlerPicker } from './handler-picker';
import { formatMoment, momentOf, toRfc3339, ZONE } from './moments';
import { StepRows } from './step-rows';
import { rowsOf, stepsOf } from './steps';

/** `to` and `when` exist only in the form; the other names are the API's. */
type Values = { title: string; text: string; url: string; to: 'all' | 'chosen'; handler_ids: string } & Times & {
    steps: string;
    until: string;
  };
type Times = { when: 'now' | 'later'; send_at: string; expires_at: string };

const MAX_TEXT_LENGTH = 4_000;
const EMPTY_VALUES: Values = {
  ...{ title: '', text: '', url: '', to: 'all', handler_ids: '' },
  ...{ when: 'now', send_at: '', expires_at: '', steps: '', until: 'acknowledged' },
};

export function MessageCreatePage() {
  const { api, may } = useSession();
  const lastSent = useRef({ content: '', idempotencyKey: '' });
  const form = useDraftForm(EMPTY_VALUES, async (values) => {
    const body = bodyOf(values);
    const content = JSON.stringify(body);
    // Sending the same values again after a lost response must not create a second message.
    if (lastSent.current.content !== content) lastSent.current = { content, idempotencyKey: randomKey() };
    const { data } = await api.post('/api/messages', { body, idempotencyKey: lastSent.current.idempotencyKey });
    return `/messages/${data.id}`;
  });
  const mayRead = may('notification-handlers:read');
  const enabled = useRead(`enabled handlers ${mayRead}`, async (api, signal) => {
    if (!mayRead) return undefined;
    const { meta } = await api.get('/api/notification-handlers', { query: { is_enabled: '1', results_per_page: 10 }, signal });
    return meta.total;
  }).data;
  const length = [...form.values.text.trim()].length;
  return (
    <Page title={t.messages.writeTitle} parent={['/messages', t.pages.messages]}>
      {enabled === 0 && (
        <div class="notice">
          <p>{t.messages.noHandlers}</p>
          <Link class="button" href="/handlers">
            {t.pages.handlers}
          </Link>
        </div>
      )}
      <FormPanel form={form} back="/messages" submitText={submitText(form.values)} submittingText={t.messages.sending}>
        <TextField form={form} name="title" label={t.messages.title} hint={t.messages.titleHint} isOptional />
        <TextField form={form} name="text" rows={6} label={t.messages.text} hint={counterText(length)} />
        <TextField form={form} name="url" type="url" label={t.messages.url} hint={t.messages.urlHint} placeholder="https://" isOptional />
        <FieldSet legend={t.messages.to} hint={mayRead ? undefined : t.messages.toAllOnly} error={form.errors.handler_ids}>
          {mayRead && (
            <Radios
              form={form}
              name="to"
              options={[
                ['all', enabled === undefined ? t.messages.toAll : t.messages.toAllOf(enabled, formatNumber(enabled))],
                ['chosen', t.messages.toChosen],
              ]}
            />
          )}
          {form.values.to === 'chosen' && <HandlerPicker form={form} />}
        </FieldSet>
        <FieldSet legend={t.messages.when}>
          <Radios
            form={form}
            name="when"
            options={[
              ['now', t.messages.now],
              ['later', t.messages.later],
            ]}
          />
          {form.values.when === 'later' && (
            <TextField form={form} name="send_at" type="datetime-local" label={t.messages.sendAt} hint={t.messages.inZone(ZONE)} />
          )}
        </FieldSet>
        {mayRead && <StepRows form={form} />}
        <TextField
          form={form}
          name="expires_at"
          type="datetime-local"
          label={t.messages.expiresAt}
          hint={`${t.messages.expiresHint} ${t.messages.inZone(ZONE)}`}
          isOptional
        />
        <p class="summary" role="status">
          {summaryOf(form, enabled)}
        </p>
      </FormPanel>
    </Page>
  );
}

/** Summarizes when the message will be sent, and to whom. */
function summaryOf({ values }: Form<Values>, enabled: number | undefined): string {
  const count = values.to === 'chosen' ? listOf(values.handler_ids).length : enabled;
  if (count === 0) return values.to === 'chosen' ? t.messages.chooseOne : t.messages.noHandlers;
  const sendAt = values.when === 'later' ? momentOf(values.send_at) : undefined;
  const expiresAt = momentOf(values.expires_at);
  const isPast = sendAt !== undefined && sendAt.getTime() <= Date.now();
  const when = sendAt && !isPast ? formatMoment(sendAt) : values.when === 'later' && !sendAt ? undefined : null;
  const to = count === undefined ? t.messages.summaryAll : t.messages.summaryTo(count, formatNumber(count));
  return [
    when === undefined ? t.messages.summaryOpen(to) : when === null ? t.messages.summaryNow(to) : t.messages.summaryLater(to, when),
    isPast && t.messages.summaryPast,
    values.steps !== '' && (values.until === 'delivered' ? t.messages.untilDelivered : t.messages.untilAcknowledged),
    expiresAt && t.messages.summaryExpires(formatMoment(expiresAt)),
  ]
    .filter(Boolean)
    .join(' ');
}

function submitText({ when }: Values): string {
  return when === 'later' ? t.messages.schedule : t.messages.send;
}

function counterText(length: number): string {
  const [count, longest] = [formatNumber(length), formatNumber(MAX_TEXT_LENGTH)];
  return length > MAX_TEXT_LENGTH
    ? t.messages.tooLong(count, longest, formatNumber(length - MAX_TEXT_LENGTH))
    : t.messages.counter(count, longest);
}

/** Throws if a choice was made but left empty: omitting it would mean all handlers, or now. */
function bodyOf({ title, text, url, to, handler_ids, when, send_at, expires_at, steps: rows, until }: Values) {
  if (to === 'chosen' && handler_ids === '') throw fieldError('handler_ids', t.messages.chooseOne);
  const sendAt = momentOf(send_at);
  if (when === 'later' && !sendAt) throw fieldError('send_at', t.messages.chooseTime);
  const expiresAt = momentOf(expires_at);
  const steps = stepsOf(rowsOf(rows));
  if (steps === undefined) throw fieldError('steps', t.messages.completeSteps);
  return {
    ...{ title, text, url },
    ...(to === 'chosen' && { handler_ids }),
    ...(when === 'later' && sendAt && { send_at: toRfc3339(sendAt) }),
    ...(expiresAt && { expires_at: toRfc3339(expiresAt) }),
    ...(steps !== '' && { steps, until: until === 'delivered' ? ('delivered' as const) : ('acknowledged' as const) }),
  };
}

/** `crypto.randomUUID` is unavailable on pages without TLS. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
