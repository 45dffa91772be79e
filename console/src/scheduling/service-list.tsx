import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { Filters, FindField, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { SchedulingFrame } from './scheduling-frame';
import { readRecords } from './scheduling-reads';

export function ServiceList() {
  const list = useListQuery(['servico-nome']);
  const read = useRead(`servicos ${JSON.stringify(list.query)}`, (api, signal) => readRecords(api, 'servicos', list.query, signal));
  return (
    <SchedulingFrame title={t.scheduling.services}>
      <Filters list={list}>
        <FindField list={list} name="servico-nome" label={t.scheduling.name} />
        <OrderFields
          list={list}
          choices={[
            ['servicos-id', t.scheduling.number],
            ['servico-nome', t.scheduling.name],
          ]}
        />
      </Filters>
      <ListView
        label={t.scheduling.services}
        list={list}
        read={read}
        columns={[
          { label: t.scheduling.name, cell: ({ servico_nome }) => <CallerText text={servico_nome} /> },
          {
            label: t.scheduling.appointments,
            cell: ({ servico_nome }) => (
              <Link href={`/scheduling?${new URLSearchParams({ 'servico-nome': servico_nome })}`}>{t.scheduling.thisWeek}</Link>
            ),
          },
        ]}
        empty={<EmptyState title={t.scheduling.emptyTitle} text={t.scheduling.empty} />}
      />
    </SchedulingFrame>
  );
}
