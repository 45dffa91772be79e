import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { ChoiceField, Filters, FindField, OrderFields } from '../lists/filters';
import { useListQuery } from '../lists/list-query';
import { EmptyState, ListView } from '../lists/list-view';
import { Availability, AVAILABILITIES } from './availability';
import { SchedulingFrame } from './scheduling-frame';
import { readRecords } from './scheduling-reads';

export function TimeSlotList() {
  const list = useListQuery(['horario-id', 'horario-disponivel']);
  const read = useRead(`horarios ${JSON.stringify(list.query)}`, (api, signal) =>
    readRecords(api, 'horarios', { 'horario-disponivel': '', ...list.query }, signal),
  );
  return (
    <SchedulingFrame title={t.scheduling.slots}>
      <Filters list={list}>
        <FindField list={list} name="horario-id" label={t.scheduling.slot} />
        <ChoiceField list={list} name="horario-disponivel" label={t.scheduling.availability} choices={AVAILABILITIES} />
        <OrderFields
          list={list}
          choices={[
            ['horarios-id', t.scheduling.number],
            ['horario-id', t.scheduling.slot],
            ['horario-disponivel', t.scheduling.availability],
          ]}
        />
      </Filters>
      <ListView
        label={t.scheduling.slots}
        list={list}
        read={read}
        columns={[
          { label: t.scheduling.slot, cell: ({ horario_id }) => <CallerText text={horario_id} /> },
          {
            label: t.scheduling.availability,
            isAside: true,
            cell: ({ horario_disponivel }) => <Availability isAvailable={horario_disponivel} />,
          },
        ]}
        empty={<EmptyState title={t.scheduling.emptyTitle} text={t.scheduling.empty} />}
      />
    </SchedulingFrame>
  );
}
