import type { Collection } from './collection';

/** Services. */
export const SERVICOS: Collection = {
  name: 'servicos',
  noun: 'servico',
  id: 'servicos_id',
  fields: [{ type: 'text', name: 'servico_nome', length: 128, example: 'Corte de cabelo' }],
};
