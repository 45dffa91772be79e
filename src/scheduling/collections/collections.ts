import type { Collection } from './collection';

/** Appointments. */
const AGENDAMENTOS: Collection = {
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

/** Attendants. `diponivel` is the API's spelling. */
const ATENDENTES: Collection = {
  name: 'atendentes',
  noun: 'atendente',
  id: 'atendentes_id',
  fields: [
    { type: 'text', name: 'atendente_nome', length: 128, example: 'Antônio Conceição' },
    { type: 'text', name: 'atendente_cargo', length: 128, example: 'Barbeiro' },
    { type: 'flag', name: 'atendente_diponivel' },
  ],
};

/** The services that each attendant provides. */
const ATENDENTE_SERVICO: Collection = {
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

/** Time slots. */
const HORARIOS: Collection = {
  name: 'horarios',
  noun: 'horario',
  id: 'horarios_id',
  fields: [
    { type: 'text', name: 'horario_id', length: 64, example: '14:30' },
    { type: 'flag', name: 'horario_disponivel' },
  ],
};

/** Services. */
const SERVICOS: Collection = {
  name: 'servicos',
  noun: 'servico',
  id: 'servicos_id',
  fields: [{ type: 'text', name: 'servico_nome', length: 128, example: 'Corte de cabelo' }],
};

/** The service's own collections, in the order used by error messages and the OpenAPI document. */
export const COLLECTIONS: readonly Collection[] = [AGENDAMENTOS, ATENDENTES, ATENDENTE_SERVICO, HORARIOS, SERVICOS];
