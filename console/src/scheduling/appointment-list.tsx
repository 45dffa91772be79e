import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { DayField, Filters, FindField, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { usePhone } from '../lists/use-phone';
import { Phone } from './appointment-card';
import { formatBriefly, formatStored } from './days';
import { PeopleFields } from './people-fields';
import { SchedulingFrame } from './scheduling-frame';
import { readRecords } from './scheduling-reads';

const FILTERS = ['nome', 'telefone', 'data-hora', 'servico-nome', 'atendente-nome'];

export function AppointmentList() {
  const list = useListQuery(FILTERS);
  const isPhone = usePhone();
  const read = useRead(`agendamentos ${JSON.stringify(list.query)}`, (api, signal) => readRecords(api, 'agendamentos', list.query, signal));
  return (
    <SchedulingFrame title={t.scheduling.appointments} query={list.query}>
      <Filters list={list}>
        <FindField list={list} name="nome" label={t.scheduling.customer} />
        <PeopleFields list={list} />
        <DayField list={list} name="data-hora" label={t.scheduling.date} />
        <OrderFields
          list={list}
          choices={[
            ['agendamento-id', t.scheduling.number],
            ['data-hora', t.scheduling.time],
            ['nome', t.scheduling.customer],
            ['telefone', t.scheduling.phone],
            ['servico-nome', t.scheduling.service],
            ['atendente-nome', t.scheduling.attendant],
          ]}
        />
      </Filters>
      <ListView
        label={t.scheduling.appointments}
        list={list}
        read={read}
        columns={[
          { label: t.scheduling.customer, cell: ({ nome }) => <CallerText text={nome} /> },
          {
            label: t.scheduling.time,
            cell: ({ data_hora }) => (
              <time dateTime={data_hora.replace(' ', 'T')}>{(isPhone ? formatBriefly : formatStored)(data_hora)}</time>
            ),
          },
          { label: t.scheduling.service, cell: ({ servico_nome }) => <CallerText text={servico_nome} /> },
          { label: t.scheduling.attendant, cell: ({ atendente_nome }) => <CallerText text={atendente_nome} /> },
          { label: t.scheduling.phone, isAside: true, cell: ({ telefone }) => <Phone number={telefone} /> },
        ]}
        empty={<EmptyState title={t.scheduling.emptyTitle} text={t.scheduling.empty} />}
      />
    </SchedulingFrame>
  );
}
