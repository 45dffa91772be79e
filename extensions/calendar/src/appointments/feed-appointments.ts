import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, Dialect, timestamp } from 'frontdesk';
import type { Calendar } from '../feeds/calendars.service';
import { CANCELLED_DAYS, feedDays } from './feed-days';

/** Maximum per calendar. */
const MAX_APPOINTMENTS = 10_000;
/** Rows per query: a slow client keeps no more than these in memory. */
const ROWS_PER_BATCH = 500;

const COLUMNS = 'id, uid, data_hora, nome, telefone, servico_nome, atendente_nome, sequence, modified, cancelled';

export interface FeedAppointment {
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
  id: number,
  uid: string,
  data_hora: string,
  nome: string,
  telefone: string,
  servico_nome: string,
  atendente_nome: string,
  sequence: number,
  modified: string,
  cancelled: string | null,
];

interface Direction {
  after: string;
  order: string;
}

const UPCOMING: Direction = { after: 'c.data_hora > ? OR c.id > ?', order: 'c.data_hora, c.id' };
const PAST: Direction = { after: 'c.data_hora < ? OR c.id < ?', order: 'c.data_hora DESC, c.id DESC' };

@Injectable()
export class FeedAppointments {
  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** Yields batches: upcoming appointments, nearest first, then past ones, latest first, up to MAX_APPOINTMENTS in total. */
  async *find(calendar: Calendar): AsyncGenerator<FeedAppointment[]> {
    const [first, end] = feedDays(this.clock.now());
    const today = timestamp(this.clock.now()).slice(0, 10);
    let left = MAX_APPOINTMENTS;
    for (const [direction, from, until] of [
      [UPCOMING, today, end],
      [PAST, today, first],
    ] as const)
      for (let last: [time: string, id: number] | undefined = [from, 0]; last && left > 0;) {
        const rows: Row[] = await this.read(calendar, direction, last, until, Math.min(ROWS_PER_BATCH, left));
        left -= rows.length;
        const [id, , time] = rows.at(-1) ?? [0, '', ''];
        last = rows.length < ROWS_PER_BATCH ? undefined : [time, id];
        yield rows.map(toAppointment).filter(({ data_hora }) => !Number.isNaN(Date.parse(`${data_hora.replace(' ', 'T')}Z`))); // other software may write invalid times
      }
  }

  /** If an appointment moved to another attendant of the same calendar, reads only the active row, or the last one cancelled. */
  private read(
    { accountId, atendenteId, servicoId }: Calendar,
    direction: Direction,
    last: readonly [time: string, id: number],
    until: string,
    max: number,
  ): Promise<Row[]> {
    const filters = [...(atendenteId ? ['atendentes_id = ?'] : []), ...(servicoId ? ['servicos_id = ?'] : [])];
    const own = [atendenteId, servicoId].filter((id) => id !== null);
    const filtersOn = (table: string) => filters.map((filter) => `AND ${table}.${filter}`).join(' ');
    const columns = COLUMNS.split(', ').map((column) => `c.${column}`);
    const sql = `SELECT ${columns.join(', ')} FROM calendar_appointments c WHERE c.account_id = ? ${filtersOn('c')}
      AND c.data_hora BETWEEN ? AND ? AND (${direction.after}) AND (c.cancelled IS NULL OR c.cancelled >= ?)
      AND NOT EXISTS (SELECT 1 FROM calendar_appointments o WHERE o.account_id = c.account_id AND o.agendamento_id = c.agendamento_id
        AND o.id <> c.id ${filtersOn('o')} AND (CASE WHEN o.cancelled IS NULL THEN 1 ELSE 0 END > CASE WHEN c.cancelled IS NULL THEN 1 ELSE 0 END
        OR ((o.cancelled IS NULL) = (c.cancelled IS NULL) AND o.sequence > c.sequence)))
      ORDER BY ${direction.order} LIMIT ?`;
    const cancelled = timestamp(this.clock.now() - CANCELLED_DAYS * DAY_MS);
    const values = [accountId, ...own, ...[last[0], until].sort(), ...last, cancelled, ...own, max];
    return this.dialect.read<Row>(sql, values, { table: 'calendar_appointments', accountId });
  }
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
]: Row): FeedAppointment {
  return { id, uid, data_hora, nome, telefone, servico_nome, atendente_nome, sequence, modified, isCancelled: cancelled !== null };
}
