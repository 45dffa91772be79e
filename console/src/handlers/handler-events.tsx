import { Link } from 'wouter-preact';
import { hasCode } from '../api/api';
import { errorText, ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { Checkboxes, FieldSet, listOf } from '../forms/choices';
import { useDraftForm } from '../forms/use-draft-form';
import { FormPanel } from '../forms/form';
import { fieldError } from '../forms/use-form';
import { isolated, t } from '../language/language';
import { BlockSkeleton } from '../lists/skeletons';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { readEventTypes, readHandler } from './handler-reads';
import { Replay } from './handler-replay';
import type { Handler } from './handler-types';

const EVENT_TYPES = Object.keys(t.handlers.eventTypes);
const EVENT_NOUNS = Object.keys(t.handlers.eventGroups);

/** The event types that the handler is notified of. */
export function HandlerEventsCard({ handler: { id, is_enabled } }: { handler: Handler }) {
  const { may } = useSession();
  const { data: types, error, reload } = useRead(`handler events ${id}`, (api, signal) => readEventTypes(api, id, signal));
  return (
    <section class="card">
      <h2>{t.handlers.events}</h2>
      <p class="muted">{t.handlers.eventsText}</p>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {types?.length === 0 && <p>{t.handlers.noEvents}</p>}
      {types && types.length > 0 && (
        <ul class="event-types">
          {types.map((type) => (
            <li key={type}>{nameOf(type)}</li>
          ))}
        </ul>
      )}
      {may('notification-handlers:write') && (
        <div class="actions">
          <Link class="button" href={`/handlers/${id}/events`}>
            {t.handlers.chooseEvents}
          </Link>
          {is_enabled && types && types.length > 0 && may('events:read') && may('notification-handlers:read') && <Replay id={id} />}
        </div>
      )}
    </section>
  );
}

export function HandlerEventsPage({ id }: { id: number }) {
  const { data, error, reload } = useRead(`handler and events ${id}`, async (api, signal) => {
    const [{ handler }, types] = await Promise.all([readHandler(api, id, signal), readEventTypes(api, id, signal)]);
    return { handler, types };
  });
  if (!data)
    return (
      <Page title={t.handlers.events} parent={[`/handlers/${id}`, t.pages.handlers]}>
        {error === undefined ? <BlockSkeleton /> : <ErrorNotice error={error} retry={reload} />}
      </Page>
    );
  return <EventsForm handler={data.handler} initial={data.types} />;
}

function EventsForm({ handler: { id, name }, initial }: { handler: Handler; initial: string[] }) {
  const { api, may } = useSession();
  const page = `/handlers/${id}`;
  const form = useDraftForm({ types: initial.join(',') }, async ({ types }) => {
    const path = { notification_handler_id: id };
    await api
      .post('/api/notification-handlers/{notification_handler_id}/events', { path, body: { types: withoutIncluded(types) } })
      .catch((error: unknown) => {
        throw hasCode(error, 'insufficient_scope') ? fieldError('types', errorText(error)) : error;
      });
    return page;
  });
  const chosen = listOf(form.values.types);
  const others = initial.filter((type) => !isKnown(type));
  return (
    <Page title={t.handlers.eventsTitle(isolated(name))} parent={[page, name]}>
      <p class="lead">{t.handlers.eventsText}</p>
      <FormPanel form={form} back={page}>
        <FieldSet legend={t.handlers.chooseEvents} hint={t.handlers.eventsHint} error={form.errors.types}>
          <div class="event-groups">
            {EVENT_NOUNS.filter((noun) => noun !== 'key' || may('keys:write') || form.values.types.includes('key.')).map((noun) => (
              <FieldSet key={noun} legend={groupOf(noun)}>
                <Checkboxes form={form} name="types" options={[[`${noun}.*`, t.handlers.allEvents]]} />
                <Checkboxes
                  form={form}
                  name="types"
                  areIncluded={chosen.includes(`${noun}.*`)}
                  options={EVENT_TYPES.filter((type) => nounOf(type) === noun).map((type) => [type, eventOf(type)] as const)}
                />
              </FieldSet>
            ))}
          </div>
          {others.length > 0 && (
            <FieldSet legend={t.handlers.otherEvents}>
              <Checkboxes form={form} name="types" options={others.map((type) => [type, type] as const)} />
            </FieldSet>
          )}
        </FieldSet>
      </FormPanel>
    </Page>
  );
}

function withoutIncluded(types: string): string {
  const chosen = listOf(types);
  return chosen.filter((type) => type.endsWith('.*') || !chosen.includes(`${nounOf(type)}.*`)).join(',');
}

/** Names types such as `domain.*` and `domain.created`; extensions' types are shown as they are. */
function nameOf(type: string): string {
  if (!isKnown(type)) return type;
  return `${groupOf(nounOf(type))}: ${type.endsWith('.*') ? t.handlers.allEvents : eventOf(type)}`;
}

function isKnown(type: string): boolean {
  return EVENT_TYPES.includes(type) || (type.endsWith('.*') && EVENT_NOUNS.includes(nounOf(type)));
}

function nounOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

function groupOf(noun: string): string {
  return t.handlers.eventGroups[noun as keyof typeof t.handlers.eventGroups];
}

function eventOf(type: string): string {
  return t.handlers.eventTypes[type as keyof typeof t.handlers.eventTypes];
}
