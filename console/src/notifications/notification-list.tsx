import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { Time } from '../language/times';
import { ChangedField, CreatedFields } from '../lists/created-fields';
import { ChoiceField, Filters, FindField, MoreFilters, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { Page } from '../shell/page';
import { appearanceOf, typeText } from './appearance';
import { Enabled } from './enabled';

const MORE_FILTERS = ['type', 'campaign_id', 'notification_key', 'created_from', 'created_until', 'changed_since'];
const FILTERS = ['name', 'is_enabled', ...MORE_FILTERS];

export function NotificationList() {
  const list = useListQuery(FILTERS);
  const read = useRead(`notifications ${JSON.stringify(list.query)}`, (api, signal) =>
    api.get('/api/notifications', { query: list.query, signal }),
  );
  return (
    <Page title={t.pages.notifications}>
      <Filters list={list}>
        <FindField list={list} name="name" label={t.lists.find} />
        <ChoiceField list={list} name="is_enabled" label={t.notifications.state} choices={ENABLED_CHOICES} />
        <OrderFields
          list={list}
          choices={[
            ['id', t.notifications.number],
            ['name', t.notifications.name],
            ['datetime', t.notifications.added],
            ['last_datetime', t.notifications.changed],
          ]}
        />
        <MoreFilters list={list} names={MORE_FILTERS}>
          <FindField list={list} name="type" label={t.notifications.typeCode} />
          <FindField list={list} name="campaign_id" label={t.notifications.campaign} />
          <FindField list={list} name="notification_key" label={t.notifications.key} />
          <CreatedFields list={list} />
          <ChangedField list={list} />
        </MoreFilters>
      </Filters>
      <ListView
        label={t.pages.notifications}
        list={list}
        read={read}
        columns={[
          {
            label: t.notifications.name,
            cell: ({ id, name }) => (
              <Link href={`/notifications/${id}`}>
                <CallerText text={name} />
              </Link>
            ),
          },
          { label: t.notifications.title, cell: (notification) => <CallerText text={appearanceOf(notification).title} /> },
          { label: t.notifications.position, cell: (notification) => t.notifications.positions[appearanceOf(notification).position] },
          { label: t.notifications.type, cell: ({ type }) => <span class="nowrap">{typeText(type)}</span> },
          { label: t.notifications.state, isAside: true, cell: ({ is_enabled }) => <Enabled isEnabled={is_enabled} /> },
          { label: t.notifications.added, cell: ({ datetime }) => <Time value={datetime} /> },
        ]}
        empty={<EmptyState title={t.notifications.emptyTitle} text={t.notifications.empty} />}
      />
    </Page>
  );
}

const ENABLED_CHOICES = [
  ['1', t.notifications.on],
  ['0', t.notifications.off],
] as const;
