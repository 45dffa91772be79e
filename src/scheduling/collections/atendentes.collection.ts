import type { Collection } from './collection';

/** Attendants. `diponivel` is the API's spelling. */
export const ATENDENTES: Collection = {
  name: 'atendentes',
  noun: 'atendente',
  id: 'atendentes_id',
  fields: [
    { type: 'text', name: 'atendente_nome', length: 128, example: 'Antônio Conceição' },
    { type: 'text', name: 'atendente_cargo', length: 128, example: 'Barbeiro' },
    { type: 'flag', name: 'atendente_diponivel' },
  ],
};
