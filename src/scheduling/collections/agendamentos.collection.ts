import type { Collection } from './collection';

/** Appointments. */
export const AGENDAMENTOS: Collection = {
  name: 'agendamentos',
  noun: 'agendamento',
  id: 'agendamento_id',
  fields: [
    { type: 'text', name: 'nome', length: 128, example: 'João da Silva' },
    { type: 'text', name: 'telefone', length: 32, example: '(11) 98765-4321' },
    { type: 'time', name: 'data_hora', example: '2026-11-21 14:30:00' },
    { type: 'reference', name: 'servicos_id', table: 'servicos' },
    { type: 'related', name: 'servico_nome', table: 'servicos', column: 'servico_nome', example: 'Corte de cabelo' },
    { type: 'reference', name: 'atendentes_id', table: 'atendentes' },
    { type: 'related', name: 'atendente_nome', table: 'atendentes', column: 'atendente_nome', example: 'Antônio Conceição' },
  ],
};
