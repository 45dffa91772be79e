import { Injectable } from '@nestjs/common';
import { Clock, Dialect, timestamp } from 'frontdesk';
import type { Calendar } from '../feeds/calendars.service';
import { shownDays } from './appointment-changes';

/** In one calendar. */
const MAX_APPOINTMENTS = 10_000;

const COLUMNS = 'agendamento_id, uid, data_hora, nome, telefone, servico_nome, atendente_nome, sequence, modified, cancelled';

export interface ShownAppointment {
  id: number;
  uid: string;
  data_hora: string;
  nome: string;
  telefone: string;
  servico_nome: string;
  atendente_nome: string;
  sequence: number;
  modified: string;
  isCancelled: boolean;
}

type Row = [
  ...[id: number, uid: string, data_hora: string, nome: string, telefone: string, servico_nome: string, atendente_nome: string],
  ...[sequence: number, modified: string, cancelled: string | null],
];

@Injectable()
export class ShownAppointments {
  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** Those to come, the next first, and as many past ones as fit besides, the latest first. */
  async find(calendar: Calendar): Promise<ShownAppointment[]> {
    const [first, end] = shownDays(this.clock.now());
    const today = timestamp(this.clock.now()).slice(0, 10);
    const coming = await this.read(calendar, 'data_hora >= ? AND data_hora < ? ORDER BY data_hora, id', [today, end], MAX_APPOINTMENTS);
    const left = MAX_APPOINTMENTS - coming.length;
    const past = await this.read(calendar, 'data_hora >= ? AND data_hora < ? ORDER BY data_hora DESC, id', [first, today], left);
    return withoutMoved([...coming, ...past].map(toAppointment));
  }

  private read({ accountId, atendenteId, servicoId }: Calendar, where: string, days: string[], max: number): Promise<Row[]> {
    const of = [...(atendenteId ? ['AND atendentes_id = ?'] : []), ...(servicoId ? ['AND servicos_id = ?'] : [])].join(' ');
    const sql = `SELECT ${COLUMNS} FROM calendar_appointments WHERE account_id = ? ${of} AND ${where} LIMIT ?`;
    const values = [accountId, atendenteId, servicoId].filter((value) => value !== null);
    return this.dialect.read<Row>(sql, [...values, ...days, max], { table: 'calendar_appointments', accountId });
  }
}

/** An appointment that went to another attendant of the same calendar has two rows: only the one that takes place, or was cancelled last. */
function withoutMoved(appointments: ShownAppointment[]): ShownAppointment[] {
  const rank = ({ isCancelled, sequence }: ShownAppointment) => (isCancelled ? 0 : Number.MAX_SAFE_INTEGER / 2) + sequence;
  const shown = new Map<string, ShownAppointment>();
  for (const one of appointments) {
    const other = shown.get(one.uid);
    if (!other || rank(one) > rank(other)) shown.set(one.uid, one);
  }
  return [...shown.values()];
}

function toAppointment([
  id,
  uid,
  data_hora,
  nome,
  telefone,
  servico_nome,
  atendente_nome,
  sequence,
  modified,
  cancelled,
]: Row): ShownAppointment {
  return { id, uid, data_hora, nome, telefone, servico_nome, atendente_nome, sequence, modified, isCancelled: cancelled !== null };
}
