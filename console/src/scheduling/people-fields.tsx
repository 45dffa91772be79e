import { useRead } from '../api/use-read';
import { t } from '../language/language';
import { FindField } from '../lists/filters';
import type { ListQuery } from '../lists/list-query';
import { readChoices } from './scheduling-reads';

/** Filters by attendant and service, which suggest existing names. */
export function PeopleFields({ list }: { list: ListQuery }) {
  const { data } = useRead('scheduling choices', readChoices);
  return (
    <>
      <FindField list={list} name="atendente-nome" label={t.scheduling.attendant} suggestions={data?.attendants} />
      <FindField list={list} name="servico-nome" label={t.scheduling.service} suggestions={data?.services} />
    </>
  );
}
