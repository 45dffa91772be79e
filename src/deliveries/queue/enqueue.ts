import type { SqlExecutor } from '../../database/dialect';
import { insertRows } from '../../database/value-lists';
import { timestamp } from '../../common/time';
import { laneOf, type Recipient } from './lane';
import type { LaneTable } from './lane-table';

const COLUMNS = [
  ...['account_id', 'message_id', 'handler_id', 'type', 'lane', 'status', 'attempts', 'tries', 'next_attempt', 'is_counted'],
  'datetime',
];

export interface NewDeliveries {
  accountId: number;
  messageId: number;
  recipients: readonly Recipient[];
  /** Milliseconds since 1970. */
  now: number;
}

/** Adds a message's deliveries, due now. Wakes the lanes last, since their locks are contended. */
export async function enqueue(
  statements: SqlExecutor,
  lanes: LaneTable,
  { accountId, messageId, recipients, now }: NewDeliveries,
): Promise<void> {
  const datetime = timestamp(new Date(now));
  const named = recipients.map((recipient) => ({ ...recipient, name: laneOf(recipient, accountId), accountId }));
  const rows = named.map(({ handlerId, type, name }) => [accountId, messageId, handlerId, type, name, 'pending', 0, 0, now, 0, datetime]);
  await insertRows(statements, 'deliveries', COLUMNS, rows);
  await lanes.wake(statements, named, now);
}
