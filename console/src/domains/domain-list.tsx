import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { Time } from '../language/times';
import { ChoiceField, Filters, FindField, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { useLive } from '../live/live';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { Status } from './status';
import { readDomains } from './domain-reads';

const FILTERS = ['host', 'verification_status', 'scheme', 'is_enabled', 'created_from', 'created_until', 'changed_since'];

export function DomainList() {
  const { may } = useSession();
  const list = useListQuery(FILTERS);
  const read = useRead(`domains ${JSON.stringify(list.query)}`, (api, signal) => readDomains(api, list.query, signal));
  useLive('domain.', read.reload);
  const add = may('domains:write') && (
    <Link class="button button-primary" href="/domains/new">
      {t.domains.add}
    </Link>
  );
  return (
    <Page title={t.pages.domains} actions={add}>
      <Filters list={list}>
        <FindField list={list} name="host" label={t.lists.find} />
        <ChoiceField list={list} name="verification_status" label={t.domains.state} choices={Object.entries(t.domains.status)} />
        <OrderFields
          list={list}
          choices={[
            ['id', t.domains.id],
            ['host', t.domains.host],
            ['datetime', t.domains.added],
            ['last_datetime', t.domains.changed],
          ]}
        />
      </Filters>
      <ListView
        label={t.pages.domains}
        list={list}
        read={read}
        columns={[
          { label: t.domains.host, cell: ({ id, host }) => <Link href={`/domains/${id}`}>{host}</Link> },
          { label: t.domains.state, cell: (domain) => <Status domain={domain} /> },
          { label: t.domains.indexUrl, cell: ({ custom_index_url }) => custom_index_url || <span class="muted">{t.domains.notSet}</span> },
          { label: t.domains.added, cell: ({ datetime }) => <Time value={datetime} /> },
        ]}
        empty={
          <EmptyState title={t.domains.emptyTitle} text={t.domains.empty}>
            {add}
          </EmptyState>
        }
      />
    </Page>
  );
}
