import type { EntityManager } from 'typeorm';
import { Agendamento } from '../scheduling/entities/agendamento.entity';
import { AtendenteServico } from '../scheduling/entities/atendente-servico.entity';
import { Atendente } from '../scheduling/entities/atendente.entity';
import { fold } from '../scheduling/query/fold';
import { Horario } from '../scheduling/entities/horario.entity';
import { Servico } from '../scheduling/entities/servico.entity';
import { DEMO_APPOINTMENTS, DEMO_ATTENDANTS, DEMO_SERVICES, DEMO_TIME_SLOTS } from './demo-records';

/** Adds the scheduling records of the demo account. */
export async function insertDemoScheduling(manager: EntityManager, account_id: number): Promise<void> {
  const services = new Map<string, number>();
  for (const servico_nome of DEMO_SERVICES) {
    const service: Partial<Servico> = { account_id, servico_nome, servico_nome_folded: fold(servico_nome) };
    await manager.insert(Servico, service);
    services.set(servico_nome, service.servicos_id!);
  }
  const attendants = new Map<string, number>();
  for (const { services: does, ...attendant } of DEMO_ATTENDANTS) {
    const { atendente_nome, atendente_cargo } = attendant;
    const folded = { atendente_nome_folded: fold(atendente_nome), atendente_cargo_folded: fold(atendente_cargo) };
    const row: Partial<Atendente> = { account_id, ...attendant, ...folded };
    await manager.insert(Atendente, row);
    attendants.set(atendente_nome, row.atendentes_id!);
    for (const name of does)
      await manager.insert(AtendenteServico, { account_id, atendentes_id: row.atendentes_id!, servicos_id: services.get(name)! });
  }
  for (const slot of DEMO_TIME_SLOTS) await manager.insert(Horario, { account_id, ...slot, horario_id_folded: fold(slot.horario_id) });
  for (const { service, attendant, ...appointment } of DEMO_APPOINTMENTS) {
    const folded = { nome_folded: fold(appointment.nome), telefone_folded: fold(appointment.telefone) };
    const links = { servicos_id: services.get(service)!, atendentes_id: attendants.get(attendant)! };
    await manager.insert(Agendamento, { account_id, ...appointment, ...folded, ...links });
  }
}
