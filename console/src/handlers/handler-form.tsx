import type { Schemas } from '../api/api';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { useDraftForm } from '../forms/use-draft-form';
import { SelectField, TextField } from '../forms/fields';
import { FormPanel } from '../forms/form';
import type { Form } from '../forms/use-form';
import { isolated, t } from '../language/language';
import { BlockSkeleton } from '../lists/skeletons';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { readHandler } from './handler-reads';
import { type Handler, HANDLER_TYPES, type HandlerType, isMasked, type Setting, settingOf, SETTINGS } from './handler-types';

/** Holds the settings of all types, so that values survive a switch to another type and back. */
type Values = { name: string; type: HandlerType } & Record<Setting, string>;

const ALL_SETTINGS = HANDLER_TYPES.flatMap((type) => SETTINGS[type].map(({ name }) => name));
const SECRETS = HANDLER_TYPES.flatMap((type) => SETTINGS[type].flatMap(({ name, isSecret }) => (isSecret ? [name] : [])));
const EMPTY_VALUES = { name: '', type: 'email', ...Object.fromEntries(ALL_SETTINGS.map((name) => [name, ''])) } as Values;

export function HandlerCreatePage() {
  const { api } = useSession();
  const form = useDraftForm(
    EMPTY_VALUES,
    async (values) => {
      const body = pick(values, fieldsOf(values.type)) as Schemas['CreateNotificationHandler'];
      const { data } = await api.post('/api/notification-handlers', { body });
      return `/handlers/${data.id}`;
    },
    SECRETS,
  );
  return (
    <Page title={t.handlers.addTitle} parent={['/handlers', t.pages.handlers]}>
      <FormPanel form={form} back="/handlers" submitText={t.handlers.add}>
        <Fields form={form} />
      </FormPanel>
    </Page>
  );
}

export function HandlerEditPage({ id }: { id: number }) {
  const { data, error, reload } = useRead(`handler ${id}`, (api, signal) => readHandler(api, id, signal));
  if (!data)
    return (
      <Page title={t.handlers.edit} parent={['/handlers', t.pages.handlers]}>
        {error === undefined ? <BlockSkeleton /> : <ErrorNotice error={error} retry={reload} />}
      </Page>
    );
  return <HandlerEditForm handler={data.handler} etag={data.etag} />;
}

function HandlerEditForm({ handler, etag }: { handler: Handler; etag: string | undefined }) {
  const { api } = useSession();
  const page = `/handlers/${handler.id}`;
  const initial = initialOf(handler);
  const form = useDraftForm(
    initial,
    async (values) => {
      const body = changesOf(handler, initial, values);
      const path = { notification_handler_id: handler.id };
      await api.update('/api/notification-handlers/{notification_handler_id}', { path, body, ifMatch: etag });
      return page;
    },
    SECRETS,
  );
  return (
    <Page title={t.handlers.editTitle(isolated(handler.name))} parent={[page, handler.name]}>
      <FormPanel form={form} back={page}>
        <Fields form={form} handler={handler} />
      </FormPanel>
    </Page>
  );
}

function Fields({ form, handler }: { form: Form<Values>; handler?: Handler }) {
  const { type } = form.values;
  const isOther = handler !== undefined && handler.type !== type;
  return (
    <>
      <TextField form={form} name="name" label={t.handlers.name} hint={t.handlers.nameHint} />
      <SelectField
        form={form}
        name="type"
        label={t.handlers.type}
        hint={t.handlers.about[type]}
        options={HANDLER_TYPES.map((each) => [each, t.handlers.types[each]] as const)}
      />
      {isOther && <p class="notice">{t.handlers.typeWarning}</p>}
      {SETTINGS[type].map(({ name, input, placeholder }) => {
        const kept = handler && !isOther ? settingOf(handler, name) : '';
        const keep = isMasked(kept) ? `${t.handlers.keep(kept)} ` : '';
        const hint = keep + t.handlers.hints[name];
        const field = { form, name, hint, placeholder, type: input, label: t.handlers.settings[name] };
        return <TextField key={name} {...field} isOptional={keep !== ''} />;
      })}
    </>
  );
}

/** Secrets that the key may not read are initially empty. */
function initialOf(handler: Handler): Values {
  const shown = SETTINGS[handler.type].map(({ name }) => [name, settingOf(handler, name)] as const).filter(([, value]) => !isMasked(value));
  return { ...EMPTY_VALUES, ...Object.fromEntries(shown), name: handler.name, type: handler.type };
}

/** The changed fields, or all of them if the type changes. Unchanged values, which may be masks, are not sent. */
function changesOf({ type }: Handler, initial: Values, values: Values): Schemas['UpdateNotificationHandler'] {
  const names = fieldsOf(values.type).filter((name) => values.type !== type || values[name] !== initial[name]);
  return pick(values, names);
}

function fieldsOf(type: HandlerType): (keyof Values)[] {
  return ['name', 'type', ...SETTINGS[type].map(({ name }) => name)];
}

function pick(values: Values, names: readonly (keyof Values)[]): Partial<Values> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}
