import type { Collection } from './collection';

/** Time slots. */
export const HORARIOS: Collection = {
  name: 'horarios',
  noun: 'horario',
  id: 'horarios_id',
  fields: [
    { type: 'text', name: 'horario_id', length: 64, example: '14:30' },
    { type: 'flag', name: 'horario_disponivel' },
  ],
};
