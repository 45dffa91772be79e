import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { formatNumber, Time } from '../language/times';
import { CreatedFields } from '../lists/created-fields';
import { type Choices, ChoiceField, Filters, FindField, OrderFields } from '../lists/filters';
import { type ListQuery, useListQuery } from '../lists/list-query';
import { type Column, EmptyState, ListView } from '../lists/list-view';
import { usePhone } from '../lists/use-phone';
import { useLive } from '../live/live';
import { RecordLink, RecordName } from '../records/record-link';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { type Delivery, DELIVERY_FILTERS, readDeliveries, readHandlerChoices } from './delivery-reads';
import { DeliveryStatus, StatusBadge } from './delivery-status';
import { RetryBar } from './retry-bar';

const NEWEST_FIRST = { sort: 'desc' };

export function DeliveryList() {
  const { may } = useSession();
  const list = useListQuery(DELIVERY_FILTERS, NEWEST_FIRST);
  const read = useRead(`deliveries ${JSON.stringify(list.query)}`, (api, signal) => readDeliveries(api, list.query, signal));
  useLive('delivery.', read.reload);
  useLive('message.', read.reload);
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const mayWrite = may('messages:write');
  const failed = (read.data?.data ?? []).filter(({ status }) => status === 'failed');
  const choose = (id: number): void => setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <Page title={t.pages.deliveries}>
      <DeliveryFilters list={list} />
      {mayWrite && (
        <RetryBar
          list={list}
          failed={failed}
          chosen={failed.filter(({ id }) => chosen.includes(id))}
          total={read.data?.meta.total ?? 0}
          onChoose={setChosen}
          onRetried={read.reload}
        />
      )}
      <ListView
        label={t.pages.deliveries}
        list={list}
        read={read}
        columns={columns(usePhone(), mayWrite ? { chosen, choose } : undefined)}
        empty={
          <EmptyState title={t.deliveries.emptyTitle} text={t.deliveries.empty}>
            {mayWrite && (
              <Link class="button button-primary" href="/messages/new">
                {t.deliveries.write}
              </Link>
            )}
          </EmptyState>
        }
      />
    </Page>
  );
}

interface Selection {
  chosen: readonly number[];
  choose: (id: number) => void;
}

function columns(isPhone: boolean, selection: Selection | undefined): Column<Delivery>[] {
  return [
    {
      label: t.deliveries.message,
      cell: (delivery) => (
        <span class="choosable">
          {selection && <Choice delivery={delivery} {...selection} />}
          <Link href={`/deliveries/${delivery.id}`}>
            <RecordName type="message" id={delivery.message_id} />
          </Link>
        </span>
      ),
    },
    ...(isPhone ? [OUTCOME] : []),
    { label: t.deliveries.handler, cell: ({ handler_id }) => <RecordLink type="notification_handler" id={handler_id} /> },
    {
      label: t.deliveries.state,
      isAside: true,
      cell: (delivery) => (isPhone ? <StatusBadge status={delivery.status} /> : <DeliveryStatus delivery={delivery} />),
    },
    { label: t.deliveries.attempts, cell: ({ attempts }) => `${formatNumber(attempts)}${isPhone ? '×' : ''}` },
    { label: t.deliveries.created, cell: ({ datetime }) => <Time value={datetime} /> },
  ];
}

/** A separate column, because the status badge has no room for the outcome. */
const OUTCOME: Column<Delivery> = {
  label: t.deliveries.outcome,
  cell: ({ outcome }) => (outcome !== null && outcome !== 'delivered' ? t.deliveries.outcomes[outcome] : null),
};

/** A checkbox, for failed deliveries only: others can't be retried. */
function Choice({ delivery: { id, status }, chosen, choose }: Selection & { delivery: Delivery }) {
  if (status !== 'failed') return null;
  return (
    <input
      type="checkbox"
      class="choice-box"
      aria-label={t.deliveries.choose(formatNumber(id))}
      checked={chosen.includes(id)}
      onChange={() => choose(id)}
    />
  );
}

function DeliveryFilters({ list }: { list: ListQuery }) {
  return (
    <Filters list={list}>
      <ChoiceField list={list} name="status" label={t.deliveries.state} choices={Object.entries(t.deliveries.status)} />
      <ChoiceField list={list} name="outcome" label={t.deliveries.outcome} choices={Object.entries(t.deliveries.outcomes)} />
      <HandlerField list={list} />
      <FindField list={list} name="message_id" label={t.deliveries.messageNumber} />
      <CreatedFields list={list} />
      <OrderFields
        list={list}
        choices={[
          ['id', t.deliveries.id],
          ['datetime', t.deliveries.created],
        ]}
      />
    </Filters>
  );
}

/** Filters by handler name, or by id if the key may not read handlers. */
function HandlerField({ list }: { list: ListQuery }) {
  const { may } = useSession();
  const mayRead = may('notification-handlers:read');
  const { data = [] } = useRead('handler choices', async (api, signal) => (mayRead ? readHandlerChoices(api, signal) : []));
  const asked = list.query.handler_id;
  const missing: Choices = asked && !data.some(([id]) => id === asked) ? [[asked, `${t.records.notification_handler} ${asked}`]] : [];
  return (
    <div class="late-choices">
      <ChoiceField list={list} name="handler_id" label={t.deliveries.handler} choices={[...data, ...missing]} />
    </div>
  );
}
