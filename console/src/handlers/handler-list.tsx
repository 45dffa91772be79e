import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { Time } from '../language/times';
import { CreatedFields } from '../lists/created-fields';
import { ChoiceField, Filters, FindField, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { useLive } from '../live/live';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { HANDLER_TYPES, targetOf } from './handler-types';

const FILTERS = ['name', 'type', 'is_enabled', 'created_from', 'created_until', 'changed_since'];

export function HandlerList() {
  const { may } = useSession();
  const list = useListQuery(FILTERS);
  const read = useRead(`handlers ${JSON.stringify(list.query)}`, (api, signal) =>
    api.get('/api/notification-handlers', { query: list.query, signal }),
  );
  useLive('notification_handler.', read.reload);
  const add = may('notification-handlers:write') && (
    <Link class="button button-primary" href="/handlers/new">
      {t.handlers.add}
    </Link>
  );
  return (
    <Page title={t.pages.handlers} actions={add}>
      <Filters list={list}>
        <FindField list={list} name="name" label={t.lists.find} />
        <ChoiceField
          list={list}
          name="type"
          label={t.handlers.type}
          choices={HANDLER_TYPES.map((type) => [type, t.handlers.types[type]] as const)}
        />
        <ChoiceField
          list={list}
          name="is_enabled"
          label={t.handlers.state}
          choices={[
            ['1', t.handlers.on],
            ['0', t.handlers.off],
          ]}
        />
        <CreatedFields list={list} />
        <OrderFields
          list={list}
          choices={[
            ['id', t.handlers.id],
            ['name', t.handlers.name],
            ['datetime', t.handlers.added],
            ['last_datetime', t.handlers.changed],
          ]}
        />
      </Filters>
      <ListView
        label={t.pages.handlers}
        list={list}
        read={read}
        columns={[
          {
            label: t.handlers.name,
            cell: ({ id, name }) => (
              <Link href={`/handlers/${id}`}>
                <CallerText text={name} />
              </Link>
            ),
          },
          { label: t.handlers.type, cell: ({ type }) => <span class="nowrap">{t.handlers.types[type]}</span> },
          { label: t.handlers.target, cell: (handler) => <CallerText text={targetOf(handler) || t.handlers.notSet} isAddress /> },
          { label: t.handlers.state, isAside: true, cell: ({ is_enabled }) => <EnabledBadge isEnabled={is_enabled} /> },
          { label: t.handlers.added, cell: ({ datetime }) => <Time value={datetime} /> },
        ]}
        empty={
          <EmptyState title={t.handlers.emptyTitle} text={t.handlers.empty}>
            {add}
          </EmptyState>
        }
      />
    </Page>
  );
}

export function EnabledBadge({ isEnabled }: { isEnabled: boolean }) {
  return <span class={isEnabled ? 'badge badge-success' : 'badge'}>{isEnabled ? t.handlers.on : t.handlers.off}</span>;
}
