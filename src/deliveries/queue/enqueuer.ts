import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { SECOND_MS, timestamp } from '../../platform/common/time';
import type { WriteContext } from '../../platform/common/write-context';
import { causedBy, logEvents } from '../../platform/database/events/event-log';
import { inList, insertRows } from '../../platform/database/value-lists';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { Background } from '../../platform/jobs/background';
import type { Outcome } from '../channels/channel';
import type { Until } from '../delivery.entity';
import { retryEvent } from './delivery-events';
import { Installations } from '../installations';
import { laneOf, LaneTable, type Recipient } from './lane';

const NEW_COLUMNS = [
  'account_id',
  'message_id',
  'handler_id',
  'type',
  'lane',
  'status',
  'attempts',
  'tries',
  'next_attempt',
  'is_counted',
  'part',
  'event_id',
  'send_at',
  'expires_at',
  'step',
  'until',
  'datetime',
];

const RETRY = `UPDATE deliveries SET status = 'pending', tries = 0, next_attempt = ?, last_datetime = ?,
  expires_at = (SELECT expires_at FROM messages WHERE messages.id = message_id) WHERE id IN`;

const FIND_RETRIED = 'SELECT lane, id, message_id, handler_id, outcome, event_id FROM deliveries WHERE id IN';
type RetriedRow = [lane: string, id: number, messageId: number, handlerId: number, outcome: Outcome | null, eventId: string | null];

/** The fields of a message that its deliveries need. Times in milliseconds since 1970. */
interface QueuedMessage {
  accountId: number;
  messageId: number;
  eventId: string | null;
  sendAt: number | null;
  expiresAt: number | null;
  until: Until | null;
  /** Whether its deliveries have been counted toward the daily limit. */
  isCounted: boolean;
}

/** A handler to deliver through in a step; later steps begin `seconds` after the first. */
export interface StepRecipient extends Recipient {
  step?: { number: number; seconds: number };
}

/** Name of the background work that attempts due deliveries. */
export const DELIVERY_WORK = 'deliveries';

/** Puts deliveries into the queue, and wakes the worker once they are committed, so that it doesn't wait for its next poll. */
@Injectable()
export class Enqueuer {
  constructor(
    private readonly lanes: LaneTable,
    private readonly installations: Installations,
    private readonly executor: WriteExecutor,
    private readonly background: Background,
    private readonly clock: Clock,
  ) {}

  /** Inserts a message's deliveries in its transaction, due now, at `sendAt`, or with their step. Call it last: locks on lanes are contended. */
  async enqueue(
    statements: Transaction,
    { accountId, messageId, eventId, sendAt, expiresAt, until, isCounted }: QueuedMessage,
    recipients: readonly StepRecipient[],
    now: number,
  ): Promise<void> {
    const begin = Math.max(now, sendAt ?? now);
    const datetime = timestamp(now);
    const part = await this.installations.deliveryIdPart(statements);
    const dues = new Map<string, number>();
    const rows = recipients.map((recipient) => {
      const { handlerId, type, step } = recipient;
      const [lane, due] = [laneOf(recipient, accountId), begin + (step?.seconds ?? 0) * SECOND_MS];
      dues.set(lane, Math.min(due, dues.get(lane) ?? Infinity));
      return [
        accountId,
        messageId,
        handlerId,
        type,
        lane,
        'pending',
        0,
        0,
        due,
        Number(isCounted),
        part,
        eventId,
        step ? due : sendAt,
        expiresAt,
        step?.number ?? 0,
        until,
        datetime,
      ];
    });
    await insertRows(statements, 'deliveries', NEW_COLUMNS, rows);
    await this.lanes.wake(statements, accountId, dues);
    this.wakeWorker(statements);
  }

  /** Makes locked, failed deliveries due now, and restarts their retry schedules. Call it last, like `enqueue`. */
  async retry(statements: Transaction, context: WriteContext, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { sql, values } = inList(ids);
    const now = this.clock.now();
    const rows = await statements.read<RetriedRow>(`${FIND_RETRIED} ${sql} ORDER BY id`, values);
    await statements.write(`${RETRY} ${sql}`, [now, timestamp(now), ...values]);
    await logEvents(
      statements,
      { ...causedBy(context), isAudited: true },
      rows.map(([, ...delivery]) => retryEvent(...delivery)),
    );
    const dues = new Map(rows.map(([lane]) => [lane, now]));
    await this.lanes.wake(statements, context.accountId, dues);
    this.wakeWorker(statements);
  }

  private wakeWorker(statements: Transaction): void {
    this.executor.afterCommit(statements, () => this.background.wake(DELIVERY_WORK));
  }
}
