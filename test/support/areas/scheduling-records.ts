import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { Agendamento, Atendente, AtendenteServico, Horario, Servico } from '../../../src/scheduling/collections/collections.entity';
import { fold } from '../../../src/platform/common/fold-text';
import type { TestAccount, TestApplication } from '../http/application';
import { insertRows } from './insert-rows';
import type { CollectionName } from './scheduling-interface';
import type { WireRecord } from './scheduling-model';

type Rows<E> = Omit<{ [K in keyof E as E[K] extends object ? never : K extends `${string}_folded` ? never : K]: E[K] }, 'account_id'>[];

/** An account's records as stored, without derived columns. */
export interface SchedulingRows {
  servicos?: Rows<Servico>;
  atendentes?: Rows<Atendente>;
  atendenteservico?: Rows<AtendenteServico>;
  horarios?: Rows<Horario>;
  agendamentos?: Rows<Agendamento>;
}

/** Creates an account with these records. */
export async function createScheduled(application: TestApplication, rows: SchedulingRows): Promise<TestAccount> {
  const account = await application.createAccount();
  await insertScheduling(application, account.id, rows);
  return account;
}

/** Inserts the records by SQL, since no route writes them. */
export async function insertScheduling(
  { dataSource }: Pick<TestApplication, 'dataSource'>,
  accountId: number,
  rows: SchedulingRows,
): Promise<void> {
  const insert = (entity: EntityTarget<ObjectLiteral>, given: object[] = [], texts: string[] = []) =>
    insertRows(
      dataSource,
      entity,
      given.map((row) => ({ ...row, ...foldedOf(row, texts), account_id: accountId })),
    );
  await insert(Servico, rows.servicos, ['servico_nome']);
  await insert(Atendente, rows.atendentes, ['atendente_nome', 'atendente_cargo']);
  await insert(AtendenteServico, rows.atendenteservico);
  await insert(Horario, rows.horarios, ['horario_id']);
  await insert(Agendamento, rows.agendamentos, ['nome', 'telefone']);
}

function foldedOf(row: object, texts: string[]): Record<string, string> {
  return Object.fromEntries(texts.map((name) => [`${name}_folded`, fold((row as Record<string, string>)[name])]));
}

/** The records as the API returns them, with fields in order. */
export function wireRecords(rows: Required<SchedulingRows>): Record<CollectionName, WireRecord[]> {
  const services = new Map(rows.servicos.map(({ servicos_id, servico_nome }) => [servicos_id, servico_nome]));
  const attendants = new Map(rows.atendentes.map(({ atendentes_id, atendente_nome }) => [atendentes_id, atendente_nome]));
  return {
    agendamentos: rows.agendamentos.map(({ agendamento_id, nome, telefone, data_hora, servicos_id, atendentes_id }) => ({
      agendamento_id,
      nome,
      telefone,
      data_hora,
      servicos_id,
      servico_nome: services.get(servicos_id)!,
      atendentes_id,
      atendente_nome: attendants.get(atendentes_id)!,
    })),
    atendentes: rows.atendentes.map(({ atendentes_id, atendente_nome, atendente_cargo, atendente_diponivel }) => ({
      atendentes_id,
      atendente_nome,
      atendente_cargo,
      atendente_diponivel,
    })),
    atendenteservico: rows.atendenteservico.map(({ atendenteservico_id, atendentes_id, servicos_id }) => ({
      atendenteservico_id,
      atendentes_id,
      atendentes_nome: attendants.get(atendentes_id)!,
      servicos_id,
      servico_nome: services.get(servicos_id)!,
    })),
    horarios: rows.horarios.map(({ horarios_id, horario_id, horario_disponivel }) => ({ horarios_id, horario_id, horario_disponivel })),
    servicos: rows.servicos.map(({ servicos_id, servico_nome }) => ({ servicos_id, servico_nome })),
  };
}
