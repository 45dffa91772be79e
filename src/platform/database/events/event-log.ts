import { timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import type { SqlExecutor, SqlFragment } from '../dialect';
import { type InsertedValue, insertRows } from '../value-lists';

/** A change of a record. Holds no content that may be secret: at most names of changed fields, a name, a host or an outcome. */
export interface NewEvent {
  /** A verb in snake_case, of 1 to 16 characters. */
  action: string;
  /** At most 32 characters. */
  record: string;
  recordId: number | null;
  /** Shown in the feed, as an object: what was changed, or the name of what was deleted. */
  data?: Readonly<Record<string, unknown>>;
  /** Host that the edge must reload, since it may now be served, changed or no longer served; or an SQL expression for it. */
  host?: string | SqlFragment;
}

/** Who made a change. `isAudited`: whether `frontdesk audit` shows it. */
export interface Actor extends Pick<WriteContext, 'accountId' | 'keyId' | 'requestId'> {
  isAudited: boolean;
  isByService: boolean;
}

export interface LoggedEvent extends NewEvent {
  by: Actor;
}

const COLUMNS = [
  'datetime',
  'account_id',
  'key_id',
  'action',
  'record',
  'record_id',
  'request_id',
  'is_audited',
  'is_by_service',
  'data',
  'host',
];

/** Limited to the columns' widths: MySQL refuses longer values, SQLite doesn't. */
const ACTION = /^(?=.{1,16}$)[a-z]+(?:_[a-z]+)*$/;
const MAX_RECORD_LENGTH = 32;

/**
 * Logs a change by a client or an operator. Call it in the transaction that makes the change, once the record is locked. `frontdesk audit`
 * shows it; the feed does, too, if its `action` is among the `events` of the record's table.
 * @throws Error for an action or a record that the log can't hold
 */
export async function logAuditedEvent(statements: SqlExecutor, by: WriteContext, event: NewEvent): Promise<void> {
  if (!ACTION.test(event.action))
    throw new Error(`The action ${JSON.stringify(event.action)} must be snake_case, 1 to 16 characters long.`);
  checkNoun(event.record);
  await logEvents(statements, { ...by, isAudited: true, isByService: false }, [event]);
}

/** Logs changes that need not appear in the audit: results of background work, or consequences of a write. */
export function logEvents(statements: SqlExecutor, by: Actor, events: readonly NewEvent[]): Promise<void> {
  return logAll(
    statements,
    events.map((event) => ({ ...event, by })),
  );
}

/** Logs changes by different actors. */
export function logAll(statements: SqlExecutor, events: readonly LoggedEvent[]): Promise<void> {
  const now = timestamp(statements.clock.now());
  const rows = events.map(({ by, action, record, recordId, data, host }): InsertedValue[] => [
    now,
    by.accountId,
    by.keyId,
    action,
    record,
    recordId,
    by.requestId,
    Number(by.isAudited),
    Number(by.isByService),
    data ? JSON.stringify(data) : null,
    host ?? null,
  ]);
  return insertRows({ write: (sql, values) => statements.writeLast(sql, values) }, 'events', COLUMNS, rows);
}

/** The service, acting for an account on its own. */
export function byService(accountId: number): Actor {
  return { accountId, keyId: null, requestId: null, isAudited: false, isByService: true };
}

/** The actor of a consequence: whoever made the write that caused it. */
export function because({ accountId, keyId, requestId }: WriteContext): Actor {
  return { accountId, keyId, requestId, isAudited: false, isByService: false };
}

/** @throws Error for a record that the log can't hold */
export function checkNoun(record: string): void {
  if (record.length > MAX_RECORD_LENGTH)
    throw new Error(`The record name ${JSON.stringify(record)} must have at most 32 characters; a table's comes from its entity's class.`);
}
