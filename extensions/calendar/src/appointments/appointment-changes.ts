import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, Dialect, Job, MINUTE_MS, timestamp, type Transaction, UniqueViolation, WriteExecutor } from 'frontdesk';

/** Days that calendars show, before and after today. */
const DAYS_BACK = 90;
const DAYS_AHEAD = 400;
/** How long calendars say that an appointment is cancelled, so that those which ask rarely remove it, too. */
const CANCELLED_DAYS = 30;
/** Rows per transaction, to keep locks short. */
const BATCH = 500;

const FIELDS = ['data_hora', 'nome', 'telefone', 'servico_nome', 'atendente_nome'] as const;
const KEY = ['agendamento_id', 'atendentes_id', 'servicos_id'] as const;
const COLUMNS = [...KEY, ...FIELDS];
const SOURCE: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  agendamento_id: 'a.agendamento_id',
  atendentes_id: 'a.atendentes_id',
  servicos_id: 'a.servicos_id',
  data_hora: 'a.data_hora',
  nome: 'a.nome',
  telefone: 'a.telefone',
  servico_nome: 's.servico_nome',
  atendente_nome: 't.atendente_nome',
};
const JOIN = ['account_id', ...KEY].map((column) => `c.${column} = a.${column}`).join(' AND ');

const FIND_CHANGED = `SELECT c.id, ${COLUMNS.map((column) => SOURCE[column]).join(', ')} FROM agendamentos a
  JOIN servicos s ON s.servicos_id = a.servicos_id JOIN atendentes t ON t.atendentes_id = a.atendentes_id
  LEFT JOIN calendar_appointments c ON ${JOIN}
  WHERE a.account_id = ? AND a.data_hora >= ? AND a.data_hora < ?
  AND (c.id IS NULL OR c.cancelled IS NOT NULL OR ${FIELDS.map((column) => `c.${column} <> ${SOURCE[column]}`).join(' OR ')})
  ORDER BY a.agendamento_id LIMIT ${BATCH}`;
const FIND_GONE = `SELECT c.id, c.atendentes_id, c.servicos_id FROM calendar_appointments c
  LEFT JOIN agendamentos a ON ${JOIN} AND a.data_hora >= ? AND a.data_hora < ?
  WHERE c.account_id = ? AND c.cancelled IS NULL AND a.agendamento_id IS NULL ORDER BY c.id LIMIT ${BATCH}`;
/** An appointment that changes its attendant or service keeps its uid. */
const FIND_EARLIER = 'SELECT uid, MAX(sequence) FROM calendar_appointments WHERE account_id = ? AND agendamento_id = ? GROUP BY uid';
const INSERT = `INSERT INTO calendar_appointments (account_id, ${COLUMNS.join(', ')}, uid, sequence, modified) VALUES (?${', ?'.repeat(COLUMNS.length + 3)})`;
const UPDATE = `UPDATE calendar_appointments SET ${FIELDS.map((column) => `${column} = ?`).join(', ')},
  sequence = ?, modified = ?, cancelled = NULL WHERE id = ?`;
const CANCEL = 'UPDATE calendar_appointments SET sequence = sequence + 1, modified = ?, cancelled = ? WHERE id = ?';
const FORGET = `DELETE FROM calendar_appointments WHERE account_id = ? AND (data_hora < ? OR cancelled < ?)`;
const COUNT_CHANGE = `UPDATE calendar_feeds SET state = state + 1
  WHERE account_id = ? AND (atendente_id IS NULL OR atendente_id = ?) AND (servico_id IS NULL OR servico_id = ?)`;

const FIRST_STATE = 'UPDATE calendar_feeds SET state = 1 WHERE account_id = ? AND state = 0';

type Changed = [id: number | null, agendamento: number, atendentes: number, servicos: number, ...fields: string[]];
type Gone = [id: number, atendentes: number, servicos: number];

/** Days as `YYYY-MM-DD`: from the first to before the last, of wall times, whose zones differ by a day at most. */
export function shownDays(now: number): [first: string, end: string] {
  return [now - DAYS_BACK * DAY_MS, now + (DAYS_AHEAD + 1) * DAY_MS].map((time) => timestamp(time).slice(0, 10)) as [string, string];
}

/** Finds what has changed in `agendamentos`, which tells nobody: commands and other software write it. */
@Injectable()
export class AppointmentChanges {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  @Job({ name: 'calendar-appointments', everyMs: MINUTE_MS, atStart: true })
  async findAll(signal: AbortSignal): Promise<void> {
    const accounts = await this.dialect.read<[accountId: number]>('SELECT DISTINCT account_id FROM calendar_feeds ORDER BY account_id', []);
    for (const [accountId] of accounts) await this.find(accountId, signal);
  }

  async find(accountId: number, signal?: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const days = shownDays(now);
    const list = { table: 'agendamentos', accountId };
    for (let found = BATCH; found === BATCH;) {
      signal?.throwIfAborted();
      const changed = await this.dialect.read<Changed>(FIND_CHANGED, [accountId, ...days], list);
      const gone = await this.dialect.read<Gone>(FIND_GONE, [...days, accountId], list);
      found = Math.max(changed.length, gone.length);
      if (found > 0 && !(await this.write(accountId, changed, gone))) return;
    }
    await this.executor.run(async (transaction) => {
      await transaction.write(FORGET, [accountId, days[0], timestamp(now - CANCELLED_DAYS * DAY_MS)]);
      await transaction.write(FIRST_STATE, [accountId]);
    });
  }

  /** False when another process has written the same: it goes on. */
  private async write(accountId: number, changed: readonly Changed[], gone: readonly Gone[]): Promise<boolean> {
    try {
      await this.executor.run(async (transaction) => {
        const now = timestamp(this.clock.now());
        for (const row of changed) await writeChange(transaction, accountId, row, now);
        for (const [id] of gone) await transaction.write(CANCEL, [now, now, id]);
        const places = [...changed.map(([, , ...place]) => place), ...gone.map(([, ...place]) => place)];
        const touched = new Map(places.map(([atendente, servico]) => [`${atendente} ${servico}`, [Number(atendente), Number(servico)]]));
        for (const [atendente, servico] of touched.values()) await transaction.write(COUNT_CHANGE, [accountId, atendente, servico]);
      });
      return true;
    } catch (error) {
      if (error instanceof UniqueViolation) return false;
      throw error;
    }
  }
}

/** The sequence is above those of all the appointment's rows, since a calendar may have shown any of them. */
async function writeChange(transaction: Transaction, accountId: number, [id, ...values]: Changed, now: string): Promise<void> {
  const [earlier] = await transaction.read<[uid: string, sequence: number]>(FIND_EARLIER, [accountId, values[0]]);
  const sequence = earlier ? earlier[1] + 1 : 0;
  if (id !== null) await transaction.write(UPDATE, [...values.slice(KEY.length), sequence, now, id]);
  else await transaction.write(INSERT, [accountId, ...values, earlier?.[0] ?? randomUUID(), sequence, now]);
}
