import { Injectable } from '@nestjs/common';
import { Dialect } from '../platform/database/dialect';
import { EVENTS_ACCOUNT_INDEX } from '../platform/database/events/event.entity';
import { EventNumbers, type LogState } from '../platform/database/events/event-numbers';
import { NOTIFIED_EVENT } from '../platform/database/events/event-types';
import { Records } from '../platform/database/records/records';
import type { EventRecord } from './event.dto';
import { eventNoun, EventSources, type LoggedChange } from './event-sources';

/** A position in the log: before the event with this number and id. */
export interface Position {
  epoch: string;
  number: number;
  id: number;
}

/** A row of the log. */
export interface EventRow extends LoggedChange {
  id: number;
  number: number;
  datetime: string;
  keyId: number | null;
  recordId: number | null;
  isByService: boolean;
}

/** The account whose records are read, and the reader's scopes. */
export interface EventReader {
  accountId: number;
  mayRead: (scope: string) => boolean;
}

interface NewestQuery {
  accountId?: number;
  before: Pick<Position, 'number' | 'id'>;
  after: number;
  max: number;
}

type Row = [
  id: number,
  number: number,
  datetime: string,
  keyId: number | null,
  action: string,
  record: string,
  recordId: number | null,
  isByService: number,
  data: string | null,
];

const COLUMNS = 'id, number, datetime, key_id, action, record, record_id, is_by_service, data';

/** Counts as a large list, so that SQLite reads it in a reader thread. */
const ALL_EVENTS = { table: 'events', accountId: null };

/** Reads rows of the log, and converts them to events. */
@Injectable()
export class EventPresenter {
  private readonly selectSql: string;

  private readonly countSql: string;

  constructor(
    private readonly dialect: Dialect,
    private readonly numbers: EventNumbers,
    private readonly records: Records,
    private readonly sources: EventSources,
  ) {
    this.selectSql = `SELECT ${COLUMNS} FROM events ${dialect.sql.forceIndex(EVENTS_ACCOUNT_INDEX)}
      WHERE account_id = ? AND number >= ? AND number <= ? AND (number > ? OR id >= ?) ORDER BY number, id LIMIT ?`;
    this.countSql = `SELECT record, action, COUNT(*) FROM events ${dialect.sql.forceIndex(EVENTS_ACCOUNT_INDEX)}
      WHERE account_id = ? AND number >= ? AND (number > ? OR id >= ?) AND number <= ? AND (number < ? OR id < ?)
      AND datetime >= ? AND datetime <= ? AND (data IS NULL OR data NOT LIKE ?) GROUP BY record, action`;
  }

  /** At most `max` of an account's rows, from a position up to the number `last`. */
  async find(accountId: number, { number, id }: Position, last: number, max: number): Promise<EventRow[]> {
    const rows = await this.dialect.read<Row>(this.selectSql, [accountId, number, last, number, id, max]);
    return rows.map(toRow);
  }

  /** Counts an account's rows by noun and action, from `start` to before `end` and within these times, except those the feed never shows. */
  async count(
    accountId: number,
    start: Pick<Position, 'number' | 'id'>,
    end: Pick<Position, 'number' | 'id'>,
    times: readonly [min: string, max: string],
  ): Promise<(LoggedChange & { count: number })[]> {
    const bounds = [accountId, start.number, start.number, start.id, end.number, end.number, end.id, ...times, `%"${NOTIFIED_EVENT}":%`];
    const rows = await this.dialect.read<[record: string, action: string, count: number]>(this.countSql, bounds, ALL_EVENTS);
    return rows.map(([record, action, count]) => ({ record, action, data: {}, count: Number(count) }));
  }

  /** Rows before a position and after a number, newest first; of all accounts, unless one is given. */
  async findNewest({ accountId, before, after, max }: NewestQuery): Promise<(EventRow & { accountId: number })[]> {
    const [ofAccount, ids] = accountId === undefined ? ['', []] : ['AND account_id = ?', [accountId]];
    const sql = `SELECT account_id, ${COLUMNS} FROM events
      WHERE number > ? AND number <= ? AND (number < ? OR id < ?) ${ofAccount} ORDER BY number DESC, id DESC LIMIT ?`;
    const rows = await this.dialect.read<[accountId: number, ...Row]>(sql, [after, before.number, before.number, before.id, ...ids, max]);
    return rows.map(([account, ...row]) => ({ ...toRow(row), accountId: account }));
  }

  /** Converts rows to events. For a reader, adds each record's current state as `current`. */
  async present(state: LogState, rows: readonly EventRow[], reader?: EventReader): Promise<EventRecord[]> {
    const epochs = await this.numbers.findEpochs(state);
    const current = reader && (await this.readCurrentRecords(rows, reader));
    return rows.map((row) => {
      const { id, number, datetime, record, recordId, data } = row;
      const { name = state.epoch } = epochs.findLast(({ start }) => start <= number) ?? {};
      const reference = recordId === null || !this.sources.tableOf(record) ? null : { type: eventNoun(record), id: recordId };
      const event = { id: `evt_${name}_${id}`, type: this.sources.typeOf(row)!, datetime, record: reference, actor: actorOf(row), data };
      return current ? { ...event, current: current.get(`${record} ${recordId}`) ?? null } : event;
    });
  }

  /** The current records, keyed by noun and id; each is read once. */
  private async readCurrentRecords(rows: readonly EventRow[], { accountId, mayRead }: EventReader): Promise<Map<string, object>> {
    const current = new Map<string, object>();
    for (const noun of new Set(rows.map(({ record }) => record))) {
      const table = this.sources.tableOf(noun);
      const ids = rows.flatMap(({ record, recordId }) => (record === noun && recordId !== null ? [recordId] : []));
      if (!table || ids.length === 0) continue;
      for (const [id, record] of await this.records.findByIds(table, accountId, [...new Set(ids)])) {
        const presented = table.options.present ? await table.options.present(record, accountId, mayRead) : (record as object);
        if (presented) current.set(`${noun} ${id}`, presented);
      }
    }
    return current;
  }
}

function toRow([id, number, datetime, keyId, action, record, recordId, isByService, data]: Row): EventRow {
  return { id, number, datetime, keyId, action, record, recordId, isByService: isByService === 1, data: parse(data) };
}

function parse(data: string | null): EventRow['data'] {
  return data === null ? {} : (JSON.parse(data) as EventRow['data']);
}

function actorOf({ keyId, isByService }: EventRow): EventRecord['actor'] {
  if (isByService) return { type: 'service', id: null };
  return keyId === null ? { type: 'operator', id: null } : { type: 'key', id: keyId };
}
