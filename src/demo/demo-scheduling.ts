import type { EntityManager } from 'typeorm';
import { AGENDAMENTOS } from '../scheduling/collections/agendamentos.collection';
import { ATENDENTES } from '../scheduling/collections/atendentes.collection';
import { ATENDENTESERVICO } from '../scheduling/collections/atendenteservico.collection';
import type { Collection } from '../scheduling/collections/collection';
import { HORARIOS } from '../scheduling/collections/horarios.collection';
import { SERVICOS } from '../scheduling/collections/servicos.collection';
import { fold } from '../common/fold-text';

const SERVICES = ['Corte de cabelo', 'Barba', 'Corte e barba', 'Coloração', 'Hidratação'];

/** Name, role, availability, services. */
const ATTENDANTS = [
  ['Antônio Conceição', 'Barbeiro', true, ['Corte de cabelo', 'Barba']],
  ['Júlia Araújo', 'Cabeleireira', true, ['Coloração', 'Hidratação']],
  ['Zé Luís Brandão', 'Barbeiro', false, ['Corte e barba']],
] as const;

/** Time, availability. */
const TIME_SLOTS = [
  ['09:00', true],
  ['09:30', false],
  ['10:00', true],
  ['14:30', true],
] as const;

/** Customer, telephone, time, service, attendant. */
const APPOINTMENTS = [
  ['João da Silva', '(11) 98765-4321', '2026-12-01 09:30:00', 'Corte de cabelo', 'Antônio Conceição'],
  ['Conceição Águas', '(21) 99876-5432', '2026-12-01 10:00:00', 'Coloração', 'Júlia Araújo'],
  ['Inácio Gonçalves', '(31) 91234-5678', '2026-12-02 14:30:00', 'Barba', 'Antônio Conceição'],
  ['Érica Muñoz', '(11) 97654-3210', '2026-12-03 09:00:00', 'Hidratação', 'Júlia Araújo'],
] as const;

/** Inserts the scheduling records of the demo account. */
export async function insertDemoScheduling(manager: EntityManager, account_id: number): Promise<void> {
  const ids = new Map<string, number>();
  const insert = async ({ name: table, id, fields }: Collection, values: Record<string, unknown>): Promise<number> => {
    const texts = fields.filter(({ type }) => type === 'text').map(({ name }) => [`${name}_folded`, fold(String(values[name]))]);
    const row: Record<string, unknown> = { account_id, ...values, ...Object.fromEntries(texts) };
    await manager.insert(table, row);
    return Number(row[id]);
  };
  for (const servico_nome of SERVICES) ids.set(servico_nome, await insert(SERVICOS, { servico_nome }));
  for (const [atendente_nome, atendente_cargo, atendente_diponivel, services] of ATTENDANTS) {
    const atendentes_id = await insert(ATENDENTES, { atendente_nome, atendente_cargo, atendente_diponivel });
    ids.set(atendente_nome, atendentes_id);
    for (const service of services) await insert(ATENDENTESERVICO, { atendentes_id, servicos_id: ids.get(service) });
  }
  for (const [horario_id, horario_disponivel] of TIME_SLOTS) await insert(HORARIOS, { horario_id, horario_disponivel });
  for (const [nome, telefone, data_hora, service, attendant] of APPOINTMENTS) {
    await insert(AGENDAMENTOS, { nome, telefone, data_hora, servicos_id: ids.get(service), atendentes_id: ids.get(attendant) });
  }
}
