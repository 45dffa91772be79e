import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../platform/common/time';
import { operatorContext } from '../platform/common/write-context';
import { Config } from '../platform/config/config';
import { Job } from '../platform/jobs/job.decorator';
import { Dialect, type Values } from '../platform/database/dialect';
import { WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { logAuditedEvent } from '../platform/database/events/event-log';
import type { Event } from '../platform/database/events/event.entity';
import { EventNumbers } from '../platform/database/events/event-numbers';
import { UNDISPATCHED } from './subscriptions/subscription.entity';

/** Limits per transaction, to keep locks short: numbers that `expire` deletes (up to 500 rows each), and rows that `prune` scans. */
const NUMBERS_PER_BATCH = 20;
const ROWS_PER_BATCH = 5_000;
const FIND_NUMBERS = `SELECT number, MAX(datetime) FROM events WHERE number > ? AND number <= ? GROUP BY number ORDER BY number LIMIT ${NUMBERS_PER_BATCH}`;
const DELETE_EXPIRED = 'DELETE FROM events WHERE number > ? AND number <= ? AND is_audited = 0';
/** The first number with an undispatched event. Null if there is none. */
const FIND_UNDISPATCHED = `SELECT MIN((SELECT MIN(number) FROM events WHERE ${UNDISPATCHED})) FROM event_cursors cursors`;
const BATCH_END = `SELECT MAX(id) FROM (SELECT id FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ${ROWS_PER_BATCH}) batch`;
const PRUNE = 'DELETE FROM events WHERE id > ? AND id <= ? AND datetime < ? AND datetime < ? AND number <= ?';

const ENTRY_COLUMNS = 'id, datetime, account_id, key_id, action, record, record_id, request_id';

type EntryRow = [
  id: number,
  datetime: string,
  accountId: number,
  keyId: number | null,
  action: string,
  record: string,
  recordId: number | null,
  requestId: string | null,
];

type AuditEntry = Pick<Event, 'id' | 'datetime' | 'account_id' | 'key_id' | 'action' | 'record' | 'record_id' | 'request_id'>;

interface AuditQuery {
  accountId?: number;
  /** A prefix of `YYYY-MM-DD HH:MM:SS`. */
  since?: string;
  max: number;
}

/** Reads the audit log for the operator, and deletes old events; audited events only when the operator prunes them. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The newest entries, in chronological order. */
  async find({ accountId, since, max }: AuditQuery): Promise<AuditEntry[]> {
    await this.numbers.numberEvents();
    const where = [
      'is_audited = 1',
      ...(accountId === undefined ? [] : ['account_id = ?']),
      ...(since === undefined ? [] : ['datetime >= ?']),
    ];
    const values = [accountId, since, max].filter((value) => value !== undefined);
    const find = `SELECT ${ENTRY_COLUMNS} FROM events WHERE ${where.join(' AND ')} ORDER BY number DESC, id DESC LIMIT ?`;
    const rows = await this.dialect.read<EntryRow>(find, values);
    return rows.map(toEntry).reverse();
  }

  /**
   * Deletes entries older than a time while the service runs, records the deletion, and returns the number deleted. Keeps events that the
   * feed or a handler may still need. After an interruption, run it again.
   */
  async prune(before: string): Promise<number> {
    const { tooOld, dispatched } = await this.expire();
    const [[newest]] = await this.dialect.read<[number | null]>('SELECT MAX(id) FROM events', []);
    let pruned = 0;
    for (let start = 0; ;) {
      const [[end]] = await this.dialect.read<[number | null]>(BATCH_END, [start, newest ?? 0]);
      if (end === null) return pruned;
      const deleted = await this.pruneBatch([start, end, before, tooOld, dispatched], pruned === 0);
      pruned += deleted;
      start = end;
      if (deleted > 0) await yieldToWriters();
    }
  }

  /**
   * Removes events from the feed after EVENTS_KEEP_DAYS, and deletes those that aren't audited. Returns the time before which events are
   * too old, and the last number up to which all events have been dispatched.
   */
  @Job({ name: 'events', everyMs: HOUR_MS })
  async expire(signal?: AbortSignal): Promise<{ tooOld: string; dispatched: number }> {
    const tooOld = timestamp(this.clock.now() - this.config.eventsKeepDays * DAY_MS);
    const { last, floor: start } = await this.numbers.numberEvents();
    const [[undispatched]] = await this.dialect.read<[number | null]>(FIND_UNDISPATCHED, []);
    const dispatched = undispatched === null ? last : Math.min(last, undispatched - 1);
    for (let floor = start; ;) {
      signal?.throwIfAborted();
      const found = await this.dialect.read<[number: number, newest: string]>(FIND_NUMBERS, [floor, dispatched]);
      const kept = found.findIndex(([, newest]) => newest >= tooOld);
      const expired = kept === -1 ? found : found.slice(0, kept);
      if (expired.length === 0) return { tooOld, dispatched };
      const [to] = expired[expired.length - 1];
      await this.executor.run(async (statements) => {
        await statements.write('UPDATE event_log SET floor = ? WHERE id = 1 AND floor < ?', [to, to]);
        await statements.write(DELETE_EXPIRED, [floor, to]);
      });
      floor = to;
      await yieldToWriters();
    }
  }

  private pruneBatch(values: Values, isFirst: boolean): Promise<number> {
    return this.executor.run(async (statements) => {
      const { affected } = await statements.write(PRUNE, values);
      if (affected > 0 && isFirst)
        await logAuditedEvent(statements, operatorContext(0), { action: 'prune', record: 'audit', recordId: null });
      return affected;
    });
  }
}

function toEntry([id, datetime, account_id, key_id, action, record, record_id, request_id]: EntryRow): AuditEntry {
  return { id, datetime, account_id, key_id, action, record, record_id, request_id };
}
