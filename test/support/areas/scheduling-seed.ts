import type { SchedulingRows } from './scheduling-records';
import { TEXTS } from './scheduling-model';

const PHONES = ['(11) 98765-4321', '(11) 98765-4322', '+55 21 3333-0000', '11987654321', '0800', '%', 'ramal_7'];
const TIMES = [
  '2026-11-21 14:30:00',
  '2026-11-21 14:05:59',
  '2026-11-21 00:00:00',
  '2026-11-20 23:59:59',
  '2026-12-01 08:00:00',
  '2025-11-21 14:30:00',
  '2024-02-29 12:00:00',
  '0999-01-01 00:00:00',
];

/** Ids that neither start at 1 nor ascend with the rows: 37 is coprime to the counts below. */
const ids = (count: number, first: number) => Array.from({ length: count }, (_, index) => first + ((index * 37) % count));
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length];
const text = (index: number) => pick(TEXTS, index)[0];

/** Records of every collection, with names in all spellings and many ties; `first` is the lowest id of each. */
export function schedulingSeed(counts: { agendamentos: number; others: number }, first: number): Required<SchedulingRows> {
  const services = ids(counts.others, first);
  const attendants = ids(counts.others, first + 500);
  return {
    servicos: services.map((servicos_id, index) => ({ servicos_id, servico_nome: text(index * 5) })),
    atendentes: attendants.map((atendentes_id, index) => ({
      atendentes_id,
      atendente_nome: text(index * 7),
      atendente_cargo: text(index % 4),
      atendente_diponivel: index % 3 !== 0,
    })),
    atendenteservico: ids(counts.others, first).map((atendenteservico_id, index) => ({
      atendenteservico_id,
      atendentes_id: pick(attendants, index * 3),
      servicos_id: pick(services, index * 11),
    })),
    horarios: ids(counts.others, first).map((horarios_id, index) => ({
      horarios_id,
      horario_id: index % 2 ? text(index) : `${8 + (index % 12)}:00`,
      horario_disponivel: index % 5 < 3,
    })),
    agendamentos: ids(counts.agendamentos, first).map((agendamento_id, index) => ({
      agendamento_id,
      nome: text(index),
      telefone: pick(PHONES, index * 3),
      data_hora: pick(TIMES, index * 5),
      servicos_id: pick(services, index * 13),
      atendentes_id: pick(attendants, index * 2),
    })),
  };
}
