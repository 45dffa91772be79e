import { Link } from 'wouter-preact';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { ChoiceField, Filters, FindField, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { Availability, AVAILABILITIES } from './availability';
import { SchedulingFrame } from './scheduling-frame';
import { readRecords } from './scheduling-reads';

const FILTERS = ['atendente-nome', 'atendente-cargo', 'atendente-diponivel'];

export function AttendantList() {
  const list = useListQuery(FILTERS);
  const read = useRead(`atendentes ${JSON.stringify(list.query)}`, (api, signal) =>
    readRecords(api, 'atendentes', { 'atendente-diponivel': '', ...list.query }, signal),
  );
  return (
    <SchedulingFrame title={t.scheduling.attendants}>
      <Filters list={list}>
        <FindField list={list} name="atendente-nome" label={t.scheduling.name} />
        <FindField list={list} name="atendente-cargo" label={t.scheduling.role} />
        <ChoiceField list={list} name="atendente-diponivel" label={t.scheduling.availability} choices={AVAILABILITIES} />
        <OrderFields
          list={list}
          choices={[
            ['atendentes-id', t.scheduling.number],
            ['atendente-nome', t.scheduling.name],
            ['atendente-cargo', t.scheduling.role],
            ['atendente-diponivel', t.scheduling.availability],
          ]}
        />
      </Filters>
      <ListView
        label={t.scheduling.attendants}
        list={list}
        read={read}
        columns={[
          { label: t.scheduling.name, cell: ({ atendente_nome }) => <CallerText text={atendente_nome} /> },
          { label: t.scheduling.role, cell: ({ atendente_cargo }) => <CallerText text={atendente_cargo} /> },
          {
            label: t.scheduling.availability,
            isAside: true,
            cell: ({ atendente_diponivel }) => <Availability isAvailable={atendente_diponivel} />,
          },
          {
            label: t.scheduling.appointments,
            cell: ({ atendente_nome }) => (
              <Link href={`/scheduling?${new URLSearchParams({ 'atendente-nome': atendente_nome })}`}>{t.scheduling.thisWeek}</Link>
            ),
          },
        ]}
        empty={<EmptyState title={t.scheduling.emptyTitle} text={t.scheduling.empty} />}
      />
    </SchedulingFrame>
  );
}
