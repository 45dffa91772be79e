import type { Collection } from './collection';

/** The services that each attendant provides. */
export const ATENDENTESERVICO: Collection = {
  name: 'atendenteservico',
  noun: 'atendenteservico',
  id: 'atendenteservico_id',
  fields: [
    { type: 'reference', name: 'atendentes_id', table: 'atendentes' },
    {
      type: 'related',
      name: 'atendentes_nome',
      table: 'atendentes',
      column: 'atendente_nome',
      example: 'Antônio Conceição',
      placeholder: 'nome',
    },
    { type: 'reference', name: 'servicos_id', table: 'servicos' },
    { type: 'related', name: 'servico_nome', table: 'servicos', column: 'servico_nome', example: 'Corte de cabelo' },
  ],
};
