import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { Time } from '../language/times';
import { ChangedField, CreatedFields } from '../lists/created-fields';
import { ChoiceField, Filters, FindField, MoreFilters, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { usePhone } from '../lists/use-phone';
import { useLive } from '../live/live';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { Status } from './status';
import { readDomains } from './domain-reads';

const MORE_FILTERS = ['scheme', 'created_from', 'created_until', 'changed_since'];
const FILTERS = ['host', 'verification_status', 'is_enabled', ...MORE_FILTERS];
const SCHEMES = ['https://', 'http://'].map((scheme) => [scheme, scheme] as const);
const ENABLED_CHOICES = [
  ['1', t.domains.enabled],
  ['0', t.domains.disabled],
] as const;

export function DomainList() {
  const { may } = useSession();
  const list = useListQuery(FILTERS);
  const isPhone = usePhone();
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
        <ChoiceField list={list} name="is_enabled" label={t.domains.switch} choices={ENABLED_CHOICES} />
        <OrderFields
          list={list}
          choices={[
            ['id', t.domains.id],
            ['host', t.domains.host],
            ['datetime', t.domains.added],
            ['last_datetime', t.domains.changed],
          ]}
        />
        <MoreFilters list={list} names={MORE_FILTERS}>
          <ChoiceField list={list} name="scheme" label={t.domains.scheme} choices={SCHEMES} />
          <CreatedFields list={list} />
          <ChangedField list={list} />
        </MoreFilters>
      </Filters>
      <ListView
        label={t.pages.domains}
        list={list}
        read={read}
        columns={[
          {
            label: t.domains.host,
            cell: ({ id, host }) => (
              <Link href={`/domains/${id}`}>
                <CallerText text={host} />
              </Link>
            ),
          },
          { label: t.domains.state, isAside: true, cell: (domain) => <Status domain={domain} /> },
          {
            label: t.domains.indexUrl,
            cell: ({ custom_index_url }) =>
              custom_index_url !== '' ? (
                <CallerText text={custom_index_url} isAddress />
              ) : isPhone ? null : (
                <span class="muted">{t.domains.notSet}</span>
              ),
          },
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
