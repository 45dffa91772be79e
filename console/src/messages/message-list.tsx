import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { Time } from '../language/times';
import { CreatedFields } from '../lists/created-fields';
import { Filters, FindField, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { useLive } from '../live/live';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { DeliveryCounts } from './delivery-counts';
import { headingOf } from './headings';
import { useBatchedCall } from './use-batched-call';

const FILTERS = ['text', 'created_from', 'created_until'];
const NEWEST_FIRST = { sort: 'desc' };

export function MessageList() {
  const { may } = useSession();
  const list = useListQuery(FILTERS, NEWEST_FIRST);
  const read = useRead(`messages ${JSON.stringify(list.query)}`, (api, signal) => api.get('/api/messages', { query: list.query, signal }));
  const reload = useBatchedCall(read.reload);
  useLive('message.', reload);
  useLive('delivery.', reload);
  const write = may('messages:write') && (
    <Link class="button button-primary" href="/messages/new">
      {t.messages.write}
    </Link>
  );
  return (
    <Page title={t.pages.messages} actions={write}>
      <Filters list={list}>
        <FindField list={list} name="text" label={t.lists.find} />
        <CreatedFields list={list} />
        <OrderFields
          list={list}
          choices={[
            ['id', t.messages.id],
            ['datetime', t.messages.written],
          ]}
        />
      </Filters>
      <ListView
        label={t.pages.messages}
        list={list}
        read={read}
        columns={[
          {
            label: t.messages.message,
            cell: (message) => (
              <Link href={`/messages/${message.id}`}>
                <CallerText text={headingOf(message)} />
              </Link>
            ),
          },
          { label: t.messages.deliveries, cell: ({ deliveries }) => <DeliveryCounts counts={deliveries} /> },
          { label: t.messages.sent, cell: ({ send_at, datetime }) => <Time value={send_at ?? datetime} /> },
        ]}
        empty={
          <EmptyState title={t.messages.emptyTitle} text={t.messages.empty}>
            {write}
          </EmptyState>
        }
      />
    </Page>
  );
}
