import type { TableOptions } from 'typeorm';
import { flag, generatedId, index, integer, NewTables, reference, time, varchar } from './columns';

const accountId = integer('account_id');
const ofAccount = reference('account_id', 'accounts');

const TABLES: TableOptions[] = [
  {
    name: 'servicos',
    columns: [generatedId('servicos_id'), accountId, varchar('servico_nome', 128), varchar('servico_nome_folded', 384)],
    foreignKeys: [ofAccount],
    indices: [index('account_id', 'servicos_id'), index('account_id', 'servico_nome_folded')],
  },
  {
    name: 'atendentes',
    columns: [
      generatedId('atendentes_id'),
      accountId,
      varchar('atendente_nome', 128),
      varchar('atendente_nome_folded', 384),
      varchar('atendente_cargo', 128),
      varchar('atendente_cargo_folded', 384),
      flag('atendente_diponivel'),
    ],
    foreignKeys: [ofAccount],
    indices: [
      index('account_id', 'atendentes_id'),
      index('account_id', 'atendente_nome_folded'),
      index('account_id', 'atendente_cargo_folded'),
      index('account_id', 'atendente_diponivel'),
    ],
  },
  {
    name: 'atendenteservico',
    columns: [generatedId('atendenteservico_id'), accountId, integer('atendentes_id'), integer('servicos_id')],
    foreignKeys: [
      ofAccount,
      reference('atendentes_id', 'atendentes', 'atendentes_id'),
      reference('servicos_id', 'servicos', 'servicos_id'),
    ],
    indices: [index('account_id', 'atendenteservico_id'), index('atendentes_id'), index('servicos_id')],
  },
  {
    name: 'horarios',
    columns: [
      generatedId('horarios_id'),
      accountId,
      varchar('horario_id', 64),
      varchar('horario_id_folded', 192),
      flag('horario_disponivel'),
    ],
    foreignKeys: [ofAccount],
    indices: [index('account_id', 'horarios_id'), index('account_id', 'horario_id_folded'), index('account_id', 'horario_disponivel')],
  },
  {
    name: 'agendamentos',
    columns: [
      generatedId('agendamento_id'),
      accountId,
      varchar('nome', 128),
      varchar('nome_folded', 384),
      varchar('telefone', 32),
      varchar('telefone_folded', 96),
      time('data_hora'),
      integer('servicos_id'),
      integer('atendentes_id'),
    ],
    foreignKeys: [
      ofAccount,
      reference('servicos_id', 'servicos', 'servicos_id'),
      reference('atendentes_id', 'atendentes', 'atendentes_id'),
    ],
    indices: [
      index('account_id', 'agendamento_id'),
      index('account_id', 'nome_folded'),
      index('account_id', 'telefone_folded'),
      index('account_id', 'data_hora'),
      index('servicos_id'),
      index('atendentes_id'),
    ],
  },
];

export class Scheduling1795222800000 extends NewTables {
  protected tables = TABLES;
}
