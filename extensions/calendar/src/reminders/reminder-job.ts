import { Injectable } from '@nestjs/common';
import {
  byService,
  Clock,
  DAY_MS,
  Dialect,
  HOUR_MS,
  Job,
  logEvents,
  MINUTE_MS,
  timestamp,
  type Transaction,
  UniqueViolation,
  WriteExecutor,
} from 'frontdesk';
import { toInstant, toRfc3339, wallTimeAt } from '../zones';
import { parseMinutes } from './appointment-reminder.dto';
import { EVENT_ACTION, EVENT_NOUN } from './due-appointments.service';

const RETENTION_DAYS = 30;
/** Rows per statement and transaction, to keep locks short. */
const ROWS_PER_BATCH = 100;
/** Clocks are never put forward or back by more. */
const MAX_CLOCK_SHIFT_MS = 3 * HOUR_MS;

const FIND_REMINDERS = `SELECT r.id, r.account_id, r.times_before, r.atendente_id, f.atendente_id, r.servico_id, f.servico_id, f.timezone, f.language,
  f.hide_names FROM calendar_reminders r JOIN calendar_feeds f ON f.id = r.calendar_feed_id JOIN accounts a ON a.id = r.account_id
  WHERE a.disabled_datetime IS NULL AND r.id > ? ORDER BY r.id LIMIT ${ROWS_PER_BATCH}`;

const COPIED_COLUMNS = [
  'agendamento_id',
  'data_hora',
  'nome',
  'telefone',
  'servicos_id',
  'servico_nome',
  'atendentes_id',
  'atendente_nome',
] as const;
const selectUnreminded = (
  conditions: string,
) => `SELECT a.agendamento_id, a.data_hora, a.nome, a.telefone, a.servicos_id, s.servico_nome, a.atendentes_id,
  t.atendente_nome FROM agendamentos a JOIN servicos s ON s.servicos_id = a.servicos_id JOIN atendentes t ON t.atendentes_id = a.atendentes_id
  WHERE a.account_id = ? AND a.data_hora >= ? AND a.data_hora <= ? ${conditions} AND (a.data_hora > ? OR a.agendamento_id > ?)
  AND NOT EXISTS (SELECT 1 FROM calendar_due_appointments d WHERE d.appointment_reminder_id = ? AND d.agendamento_id = a.agendamento_id
    AND d.data_hora = a.data_hora AND d.minutes = ?)
  ORDER BY a.data_hora, a.agendamento_id LIMIT ${ROWS_PER_BATCH}`;
const INSERT = `INSERT INTO calendar_due_appointments (account_id, appointment_reminder_id, minutes, ${COPIED_COLUMNS.join(', ')}, starts, language, datetime)
  VALUES (?${', ?'.repeat(COPIED_COLUMNS.length + 5)})`;
const DELETE_OLD = 'DELETE FROM calendar_due_appointments WHERE account_id = ? AND datetime < ?';

type ReminderRow = [
  id: number,
  accountId: number,
  before: string,
  atendente: number | null,
  feedAtendente: number | null,
  servico: number | null,
  feedServico: number | null,
  timezone: string,
  language: string,
  hidesNames: number,
];

type AppointmentRow = [
  id: number,
  data_hora: string,
  nome: string,
  telefone: string,
  servicos_id: number,
  servico_nome: string,
  atendentes_id: number,
  atendente_nome: string,
];

interface Reminder {
  id: number;
  accountId: number;
  minutes: number;
  /** The reminder's next shorter time, which applies to nearer appointments; 0 if there is none. */
  nextMinutes: number;
  atendentes: number[];
  servicos: number[];
  timezone: string;
  language: string;
  hidesNames: boolean;
}

/** Writes one event per appointment and time of a reminder: a unique key lets only one process write it. */
@Injectable()
export class ReminderJob {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  @Job({ name: 'appointment-reminders', everyMs: MINUTE_MS, atStart: true })
  async remind(signal: AbortSignal): Promise<void> {
    for (let [last, found] = [0, ROWS_PER_BATCH]; found === ROWS_PER_BATCH;) {
      const rows = await this.dialect.read<ReminderRow>(FIND_REMINDERS, [last]);
      for (const row of rows) for (const reminder of toReminders(row)) await this.writeDueAppointments(reminder, signal);
      found = rows.length;
      last = rows.at(-1)?.[0] ?? last;
    }
  }

  @Job({ name: 'old-due-appointments', everyMs: DAY_MS })
  async deleteOld(): Promise<void> {
    const before = timestamp(this.clock.now() - RETENTION_DAYS * DAY_MS);
    const accounts = await this.dialect.read<[number]>('SELECT DISTINCT account_id FROM calendar_due_appointments ORDER BY account_id', []);
    for (const [accountId] of accounts) await this.executor.run((transaction) => transaction.write(DELETE_OLD, [accountId, before]));
  }

  /** Writes the appointments within the reminder's time, except those so near that its next shorter time is due, too. */
  private async writeDueAppointments(reminder: Reminder, signal: AbortSignal): Promise<void> {
    const { id, accountId, minutes, nextMinutes, atendentes, servicos, timezone } = reminder;
    const now = this.clock.now();
    const [begin, end] = [now + nextMinutes * MINUTE_MS, now + minutes * MINUTE_MS];
    const conditions = [...atendentes.map(() => 'AND a.atendentes_id = ?'), ...servicos.map(() => 'AND a.servicos_id = ?')].join(' ');
    const [from, until] = [begin - MAX_CLOCK_SHIFT_MS, end + MAX_CLOCK_SHIFT_MS].map((instant) => wallTimeAt(instant, timezone));
    for (let [after, found] = [['', 0] as [string, number], ROWS_PER_BATCH]; found === ROWS_PER_BATCH;) {
      signal.throwIfAborted();
      const values = [accountId, after[0] || from, until, ...atendentes, ...servicos, ...after, id, minutes];
      const rows = await this.dialect.read<AppointmentRow>(selectUnreminded(conditions), values);
      const due = rows.filter(([, data_hora]) => {
        const start = toInstant(data_hora, timezone);
        return start > begin && start <= end;
      });
      if (due.length > 0) await this.write(reminder, due);
      found = rows.length;
      const [last, time] = rows.at(-1) ?? [0, ''];
      after = [time, last];
    }
  }

  /** If another process has written one of these meanwhile, leaves the others to the next run. */
  private async write(reminder: Reminder, due: readonly AppointmentRow[]): Promise<void> {
    try {
      await this.executor.run(async (transaction) => {
        for (const appointment of due) await writeDue(transaction, reminder, appointment);
      });
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }
}

async function writeDue(transaction: Transaction, reminder: Reminder, appointment: AppointmentRow): Promise<void> {
  const [agendamento, data_hora, nome, telefone, ...related] = appointment;
  const { id, accountId, minutes, timezone, language, hidesNames } = reminder;
  const person = hidesNames ? [null, null] : [nome, telefone];
  const now = timestamp(transaction.clock.now());
  const values = [accountId, id, minutes, agendamento, data_hora, ...person, ...related, toRfc3339(data_hora, timezone), language, now];
  const { id: recordId } = await transaction.write(INSERT, values);
  const data = { appointment_reminder_id: id, agendamento_id: agendamento, minutes };
  await logEvents(transaction, byService(accountId), [{ action: EVENT_ACTION, record: EVENT_NOUN, recordId, data }]);
}

function toReminders([id, accountId, before, ...row]: ReminderRow): Reminder[] {
  const [atendente, feedAtendente, servico, feedServico, timezone, language, hidesNames] = row;
  const given = (...ids: (number | null)[]) => ids.filter((one) => one !== null);
  const same = { id, accountId, timezone, language, hidesNames: hidesNames === 1 };
  const [atendentes, servicos] = [given(atendente, feedAtendente), given(servico, feedServico)];
  const times = [
    0,
    ...before
      .split(';')
      .map(parseMinutes)
      .sort((a, b) => a - b),
  ];
  return times.slice(1).map((minutes, index) => ({ ...same, atendentes, servicos, minutes, nextMinutes: times[index] }));
}
