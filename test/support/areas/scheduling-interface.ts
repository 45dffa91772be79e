/** A collection as interface.md and the contract promise it, repeated here so that tests compare the definitions with it. */
export interface PromisedCollection {
  api: CollectionName;
  /** A record's fields, in order. */
  fields: readonly string[];
  idParameter: string;
  texts: readonly string[];
  times: readonly string[];
  flags: readonly string[];
  /** The default of `orderby`, as it is spelled in lists. */
  defaultOrder: string;
}

export type CollectionName = 'agendamentos' | 'atendentes' | 'atendenteservico' | 'horarios' | 'servicos';

export const SCHEDULING = '/scheduling';

export const COLLECTIONS: readonly PromisedCollection[] = [
  {
    api: 'agendamentos',
    fields: ['agendamento_id', 'nome', 'telefone', 'data_hora', 'servicos_id', 'servico_nome', 'atendentes_id', 'atendente_nome'],
    idParameter: 'agendamento-id',
    texts: ['nome', 'telefone', 'servico-nome', 'atendente-nome'],
    times: ['data-hora'],
    flags: [],
    defaultOrder: 'agendamento_id',
  },
  {
    api: 'atendentes',
    fields: ['atendentes_id', 'atendente_nome', 'atendente_cargo', 'atendente_diponivel'],
    idParameter: 'atendentes-id',
    texts: ['atendente-nome', 'atendente-cargo'],
    times: [],
    flags: ['atendente-diponivel'],
    defaultOrder: 'atendentes_id',
  },
  {
    api: 'atendenteservico',
    fields: ['atendenteservico_id', 'atendentes_id', 'atendentes_nome', 'servicos_id', 'servico_nome'],
    idParameter: 'atendenteservico-id',
    texts: ['atendentes-nome', 'servico-nome'],
    times: [],
    flags: [],
    defaultOrder: 'atendenteservico_id',
  },
  {
    api: 'horarios',
    fields: ['horarios_id', 'horario_id', 'horario_disponivel'],
    idParameter: 'horarios-id',
    texts: ['horario-id'],
    times: [],
    flags: ['horario-disponivel'],
    defaultOrder: 'horarios_id',
  },
  {
    api: 'servicos',
    fields: ['servicos_id', 'servico_nome'],
    idParameter: 'servicos-id',
    texts: ['servico-nome'],
    times: [],
    flags: [],
    defaultOrder: 'servicos_id',
  },
];

/** The values of `orderby`: the id, and the filters in the order of the fields. */
export function ordersOf({ fields, idParameter, texts, times, flags }: PromisedCollection): string[] {
  const filters = [...texts, ...times, ...flags];
  return [idParameter, ...fields.map((name) => name.replaceAll('_', '-')).filter((name) => filters.includes(name))];
}

export function promised(api: CollectionName): PromisedCollection {
  return COLLECTIONS.find((collection) => collection.api === api)!;
}
