import { timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import type { SqlExecutor, SqlFragment } from '../dialect';
import { type InsertedValue, insertRows } from '../value-lists';

/** A change to a record. Holds no content that may be secret: at most names of changed fields, a name, a host or an outcome. */
export interface NewEvent {
  /** A verb in snake_case, 1 to 16 characters long. */
  action: string;
  /** At most 32 characters. */
  record: string;
  recordId: number | null;
  /** Shown in the feed: the changed fields, or the name of the deleted record. */
  data?: Readonly<Record<string, unknown>>;
  /** Host that the edge must reload, since it may now be served, changed or no longer served; or an SQL expression for it. */
  host?: string | SqlFragment;
}

/** Who made a change. `isAudited`: whether `frontdesk audit` shows the change. */
export interface Actor extends Pick<WriteContext, 'accountId' | 'keyId' | 'requestId'> {
  isAudited: boolean;
  isByService: boolean;
}

export interface LoggedEvent extends NewEvent {
  by: Actor;
}

const EVENT_COLUMNS = [
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

/** Length limits are the columns' widths, which only MySQL enforces. */
const ACTION_PATTERN = /^(?=.{1,16}$)[a-z]+(?:_[a-z]+)*$/;
const MAX_NOUN_LENGTH = 32;

/**
 * Logs a change by a client or an operator. Call it in the transaction that makes the change, once the record is locked. The change appears
 * in `frontdesk audit` and, if its `action` is among the `events` of the record's table, in the feed.
 * @throws Error for an action or a record name that is invalid or too long
 */
export async function logAuditedEvent(statements: SqlExecutor, by: WriteContext, event: NewEvent): Promise<void> {
  if (!ACTION_PATTERN.test(event.action))
    throw new Error(`The action ${JSON.stringify(event.action)} must be snake_case, 1 to 16 characters long.`);
  checkNoun(event.record);
  await logEvents(statements, { ...by, isAudited: true, isByService: false }, [event]);
}

/** Logs changes by one actor. Unlike `logAuditedEvent`, also logs changes that `frontdesk audit` doesn't show, such as results of background work. */
export function logEvents(statements: SqlExecutor, by: Actor, events: readonly NewEvent[]): Promise<void> {
  return logEventsOfActors(
    statements,
    events.map((event) => ({ ...event, by })),
  );
}

/** Logs changes by different actors. */
export function logEventsOfActors(statements: SqlExecutor, events: readonly LoggedEvent[]): Promise<void> {
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
  return insertRows({ write: (sql, values) => statements.writeLast(sql, values) }, 'events', EVENT_COLUMNS, rows);
}

/** The service itself, acting on an account's behalf. */
export function byService(accountId: number): Actor {
  return { accountId, keyId: null, requestId: null, isAudited: false, isByService: true };
}

/** The actor of an event that another write caused: the caller or operator who made that write. */
export function causedBy({ accountId, keyId, requestId }: WriteContext): Actor {
  return { accountId, keyId, requestId, isAudited: false, isByService: false };
}

/** @throws Error for a record name that is too long for the log */
export function checkNoun(record: string): void {
  if (record.length > MAX_NOUN_LENGTH)
    throw new Error(
      `The record name ${JSON.stringify(record)} must have at most 32 characters; by default, it is derived from the entity's class.`,
    );
}
