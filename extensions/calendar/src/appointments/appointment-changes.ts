import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, Dialect, Job, MINUTE_MS, timestamp, type Transaction, UniqueViolation, WriteExecutor } from 'frontdesk';
import { CANCELLED_DAYS, feedDays } from './feed-days';

/** Rows per statement and transaction, to keep locks short. */
const ROWS_PER_BATCH = 500;

const APPOINTMENT_FIELDS = ['data_hora', 'nome', 'telefone', 'servico_nome', 'atendente_nome'] as const;
const KEY_COLUMNS = ['agendamento_id', 'atendentes_id', 'servicos_id'] as const;
const COLUMNS = [...KEY_COLUMNS, ...APPOINTMENT_FIELDS];
const SOURCE_COLUMNS: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  agendamento_id: 'a.agendamento_id',
  atendentes_id: 'a.atendentes_id',
  servicos_id: 'a.servicos_id',
  data_hora: 'a.data_hora',
  nome: 'a.nome',
  telefone: 'a.telefone',
  servico_nome: 's.servico_nome',
  atendente_nome: 't.atendente_nome',
};
const JOIN_BY_KEY = ['account_id', ...KEY_COLUMNS].map((column) => `c.${column} = a.${column}`).join(' AND ');

const FIND_ACCOUNTS = `SELECT DISTINCT f.account_id FROM calendar_feeds f JOIN accounts a ON a.id = f.account_id
  WHERE a.disabled_datetime IS NULL ORDER BY f.account_id`;
const FIND_CHANGED = `SELECT c.id, ${COLUMNS.map((column) => SOURCE_COLUMNS[column]).join(', ')} FROM agendamentos a
  JOIN servicos s ON s.servicos_id = a.servicos_id JOIN atendentes t ON t.atendentes_id = a.atendentes_id
  LEFT JOIN calendar_appointments c ON ${JOIN_BY_KEY}
  WHERE a.account_id = ? AND a.agendamento_id > ? AND a.data_hora >= ? AND a.data_hora < ?
  AND (c.id IS NULL OR c.cancelled IS NOT NULL OR ${APPOINTMENT_FIELDS.map((column) => `c.${column} <> ${SOURCE_COLUMNS[column]}`).join(' OR ')})
  ORDER BY a.agendamento_id LIMIT ${ROWS_PER_BATCH}`;
const FIND_REMOVED = `SELECT c.id, c.agendamento_id, c.atendentes_id, c.servicos_id FROM calendar_appointments c
  LEFT JOIN agendamentos a ON ${JOIN_BY_KEY} AND a.data_hora >= ? AND a.data_hora < ?
  WHERE c.account_id = ? AND c.id > ? AND c.data_hora >= ? AND c.cancelled IS NULL AND a.agendamento_id IS NULL ORDER BY c.id LIMIT ${ROWS_PER_BATCH}`;
const selectEarlierVersions = (ids: readonly number[]) => `SELECT agendamento_id, uid, MAX(sequence) FROM calendar_appointments
  WHERE account_id = ? AND agendamento_id IN (${ids.map(() => '?').join(', ')}) GROUP BY agendamento_id, uid`;
const INSERT = `INSERT INTO calendar_appointments (account_id, ${COLUMNS.join(', ')}, uid, sequence, modified) VALUES (?${', ?'.repeat(COLUMNS.length + 3)})`;
const UPDATE = `UPDATE calendar_appointments SET ${APPOINTMENT_FIELDS.map((column) => `${column} = ?`).join(', ')},
  sequence = ?, modified = ?, cancelled = NULL WHERE id = ?`;
const CANCEL = 'UPDATE calendar_appointments SET sequence = ?, modified = ?, cancelled = ? WHERE id = ?';
/** Feeds without a state are skipped: they get their first state after a complete pass. */
const INCREMENT_STATE = `UPDATE calendar_feeds SET state = state + 1
  WHERE account_id = ? AND state > 0 AND (atendente_id IS NULL OR atendente_id = ?) AND (servico_id IS NULL OR servico_id = ?)`;
const FIND_WITHOUT_STATE = 'SELECT 1 FROM calendar_feeds WHERE account_id = ? AND state = 0 LIMIT 1';
const SET_FIRST_STATE = 'UPDATE calendar_feeds SET state = 1 WHERE account_id = ? AND state = 0';
const FIND_OLD = `SELECT id FROM calendar_appointments c WHERE data_hora < ? OR cancelled < ?
  OR NOT EXISTS (SELECT 1 FROM calendar_feeds f WHERE f.account_id = c.account_id) ORDER BY id LIMIT ${ROWS_PER_BATCH}`;

type ChangedRow = [id: number | null, agendamento: number, atendentes: number, servicos: number, ...fields: string[]];
type RemovedRow = [id: number, agendamento: number, atendentes: number, servicos: number];

/** Copies changes of `agendamentos`, whose writers (commands and other software) log no events. */
@Injectable()
export class AppointmentChanges {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  @Job({ name: 'calendar-appointments', everyMs: MINUTE_MS, atStart: true })
  async updateAll(signal: AbortSignal): Promise<void> {
    for (const [accountId] of await this.dialect.read<[number]>(FIND_ACCOUNTS, [])) await this.update(accountId, signal);
  }

  /** Deletes old appointments, and those of accounts that no longer have a calendar. */
  @Job({ name: 'old-calendar-appointments', everyMs: DAY_MS })
  async deleteOld(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    for (let found = ROWS_PER_BATCH; found === ROWS_PER_BATCH;) {
      signal.throwIfAborted();
      const old = await this.dialect.read<[number]>(FIND_OLD, [feedDays(now)[0], timestamp(now - CANCELLED_DAYS * DAY_MS)]);
      const marks = old.map(() => '?').join(', ');
      if (old.length > 0)
        await this.executor.run((transaction) => transaction.write(`DELETE FROM calendar_appointments WHERE id IN (${marks})`, old.flat()));
      found = old.length;
    }
  }

  /** Updates an account's rows of the days that calendars show. Another process may do so at the same time. */
  async update(accountId: number, signal?: AbortSignal): Promise<void> {
    const days = feedDays(this.clock.now());
    const list = { table: 'agendamentos', accountId };
    for (let [isDone, lastGone, lastChanged] = [false, 0, 0]; !isDone;) {
      signal?.throwIfAborted();
      // In this order, an appointment that moves meanwhile is in two calendars for a minute, rather than in none.
      const gone = await this.dialect.read<RemovedRow>(FIND_REMOVED, [...days, accountId, lastGone, days[0]], list);
      const changed = await this.dialect.read<ChangedRow>(FIND_CHANGED, [accountId, lastChanged, ...days], list);
      const isWritten = gone.length + changed.length === 0 || (await this.write(accountId, changed, gone));
      if (!isWritten) continue;
      isDone = gone.length < ROWS_PER_BATCH && changed.length < ROWS_PER_BATCH;
      [lastGone, lastChanged] = [gone.at(-1)?.[0] ?? lastGone, changed.at(-1)?.[1] ?? lastChanged];
    }
    if ((await this.dialect.read(FIND_WITHOUT_STATE, [accountId])).length === 0) return;
    await this.executor.run((transaction) => transaction.write(SET_FIRST_STATE, [accountId]));
  }

  /** Returns false if another process has written some of the rows: the rest must be read again. */
  private async write(accountId: number, changed: readonly ChangedRow[], gone: readonly RemovedRow[]): Promise<boolean> {
    try {
      await this.executor.run((transaction) => writeChanges(transaction, accountId, changed, gone));
      return true;
    } catch (error) {
      if (error instanceof UniqueViolation) return false;
      throw error;
    }
  }
}

/** A row's new sequence exceeds those of all the appointment's rows, since a calendar may have shown any of them. */
async function writeChanges(
  transaction: Transaction,
  accountId: number,
  changed: readonly ChangedRow[],
  gone: readonly RemovedRow[],
): Promise<void> {
  const now = timestamp(transaction.clock.now());
  const ids = [...changed, ...gone].map(([, agendamento]) => agendamento);
  const rows = await transaction.read<[agendamento: number, uid: string, sequence: number]>(selectEarlierVersions(ids), [
    accountId,
    ...ids,
  ]);
  const earlier = new Map(rows.map(([agendamento, uid, sequence]) => [agendamento, { uid, sequence }]));
  const next = (agendamento: number) => {
    const { uid, sequence } = earlier.get(agendamento) ?? { uid: randomUUID(), sequence: -1 };
    const version = { uid, sequence: sequence + 1 };
    earlier.set(agendamento, version);
    return version;
  };
  for (const [id, agendamento] of gone) await transaction.write(CANCEL, [next(agendamento).sequence, now, now, id]);
  for (const [id, ...values] of changed) {
    const { uid, sequence } = next(values[0]);
    if (id !== null) await transaction.write(UPDATE, [...values.slice(KEY_COLUMNS.length), sequence, now, id]);
    else await transaction.write(INSERT, [accountId, ...values, uid, sequence, now]);
  }
  const places = [...changed, ...gone].map(([, , atendente, servico]) => [atendente, servico]);
  const different = new Map(places.map((place) => [place.join(), place]));
  for (const place of different.values()) await transaction.write(INCREMENT_STATE, [accountId, ...place]);
}
