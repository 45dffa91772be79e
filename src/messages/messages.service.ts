import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { RequestError, StaleVersion } from '../platform/common/errors';
import { type Page, type Versioned, versionOf } from '../platform/common/records';
import { timestamp } from '../platform/common/time';
import type { WriteContext } from '../platform/common/write-context';
import { type Actor, logAuditedEvent, causedBy, byService, logEvents } from '../platform/database/events/event-log';
import { Dialect, type SqlExecutor } from '../platform/database/dialect';
import type { DescribedEvent, EventText } from '../platform/database/events/event-types';
import type { ListRequest } from '../platform/database/records/pages';
import type { RecordTable } from '../platform/database/records/record-table';
import { Records } from '../platform/database/records/records';
import { inList } from '../platform/database/value-lists';
import type { StoredResult } from '../platform/database/writes/idempotency';
import { type Transaction, WriteExecutor } from '../platform/database/writes/transactions';
import type { DeliveryStatus } from '../deliveries/delivery-status';
import { Cancellation, markLastAttempts, WAIT_ENDED } from '../deliveries/queue/cancellation';
import type { MessageEnd } from '../deliveries/queue/delivery-listeners';
import type { StepRecipient } from '../deliveries/queue/enqueuer';
import { MessageSender, MAX_RECIPIENTS } from './message-sender';
import {
  type Acknowledgement,
  type CancellationCounts,
  type CreateMessage,
  type DeliveryCounts,
  HANDLER_IDS,
  MessageRecord,
  STEPS,
  violationsIn,
} from './message.dto';
import { type FirstAcknowledgement, Message, parseAcknowledgement } from './message.entity';
import { describeAcknowledgement, describeCancellation, describeMessage } from './message-texts';

/** Messages whose deliveries are counted per statement: each may have 1,000. */
const MESSAGES_PER_COUNT = 64;
const COUNT = 'SELECT message_id, status, COUNT(*) FROM deliveries WHERE message_id IN';
const NO_DELIVERIES: DeliveryCounts = { pending: 0, delivered: 0, failed: 0, cancelled: 0 };

type CountRow = [id: number, status: DeliveryStatus, count: number];

/** A message without its counts; `send_at` and `expires_at` are in milliseconds since 1970, `acknowledged` is JSON. */
type StoredRecord = Omit<MessageRecord, 'deliveries' | 'send_at' | 'expires_at' | 'acknowledged'> &
  Record<'send_at' | 'expires_at', number | null> & { acknowledged: string | null };

/** A delivery as `LOCK_DELIVERIES` reads it. */
type DeliveryRow = [id: number, status: DeliveryStatus, isLeased: number];

const REFUSED_HANDLERS = {
  no_handlers: 'The account has no enabled notification handler: create or enable one.',
  too_many_handlers: `The account has more than ${MAX_RECIPIENTS} enabled handlers: name up to 100 in handler_ids.`,
};

const LOCK_DELIVERIES = 'SELECT id, status, lease IS NOT NULL FROM deliveries WHERE message_id = ? ORDER BY id';
const ACKNOWLEDGE = 'UPDATE messages SET acknowledged = ? WHERE id = ?';

@Injectable()
export class MessagesService {
  private readonly table: RecordTable<StoredRecord>;

  constructor(
    private readonly records: Records,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly sender: MessageSender,
    private readonly cancellation: Cancellation,
    private readonly clock: Clock,
  ) {
    this.table = records.table<StoredRecord>(Message, MessageRecord, {
      noun: 'message',
      events: ['create', 'cancel', 'acknowledge'],
      present: async (stored, accountId) => (await this.withCounts(accountId, [stored]))[0],
      describeEvent: (event, stored, accountId) => (stored ? this.describe(event, accountId, stored) : undefined),
    });
  }

  async findPage(accountId: number, request: ListRequest): Promise<Page<MessageRecord>> {
    const page = await this.records.findPage(this.table, accountId, request);
    return page.withRecords(await this.withCounts(accountId, page.records));
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number): Promise<Versioned<MessageRecord>> {
    const stored = await this.records.find(this.table, accountId, id);
    const [record] = await this.withCounts(accountId, [stored.record]);
    return { record, version: versionOf(record) };
  }

  /** `isRepeat`: the id is that of an earlier message with the same `dedup_key`. @throws RequestError 400 */
  create(context: WriteContext, message: CreateMessage): Promise<StoredResult> {
    return this.executor.writeOnce(context, async (statements) => {
      const violations = violationsIn(message, this.clock.now());
      if (violations.length > 0) throw new RequestError(violations);
      const sent = await this.sender.sendChecked(statements, context, message, (recipients) => requireEnabled(message, recipients));
      if (sent.messageId === null) throw invalidField('handler_ids', REFUSED_HANDLERS[sent.reason]);
      return { id: sent.messageId, isRepeat: sent.reason === 'repeated' };
    });
  }

  /** Cancels the message's pending deliveries; an attempt in progress continues, and is the last. @throws RecordNotFound, StaleVersion */
  cancel(context: WriteContext, id: number): Promise<CancellationCounts> {
    return this.executor.run(async (statements) => {
      const { deliveries } = await this.lock(statements, context, id);
      const { cancelled, at_work, marked } = await this.endPending(statements, causedBy(context), deliveries, {
        reason: 'cancelled',
        keyId: context.keyId ?? null,
      });
      if (cancelled + marked > 0) await logAuditedEvent(statements, context, { action: 'cancel', record: 'message', recordId: id });
      return { cancelled, at_work, finished: deliveries.length - cancelled - at_work };
    });
  }

  /**
   * Ends a message's wait: cancels its pending deliveries, as `cancel` does. `link`: the delivery whose link was used instead of a key.
   * @throws RecordNotFound, StaleVersion, RequestError 409
   */
  acknowledge(context: WriteContext, id: number, link?: { deliveryId: number }): Promise<Acknowledgement & { isFirst: boolean }> {
    const by = link ? { ...byService(context.accountId), requestId: context.requestId } : causedBy(context);
    return this.executor.run(async (statements) => {
      const { stored, deliveries } = await this.lock(statements, context, id);
      if (stored.until !== 'acknowledged')
        throw RequestError.of(
          'acknowledgement_not_requested',
          'This message does not wait for an acknowledgement: it was sent without until=acknowledged.',
        );
      const first = parseAcknowledgement(stored.acknowledged);
      if (first) return { acknowledged: first.datetime, cancelled: 0, at_work: 0, isFirst: false };
      const datetime = timestamp(this.clock.now());
      const delivery_id = link?.deliveryId ?? null;
      await statements.write(ACKNOWLEDGE, [JSON.stringify({ datetime, delivery_id } satisfies FirstAcknowledgement), id]);
      const { cancelled, at_work } = await this.endPending(statements, by, deliveries, WAIT_ENDED);
      await logEvents(statements, { ...by, isAudited: true }, [{ action: 'acknowledge', record: 'message', recordId: id }]);
      return { acknowledged: datetime, cancelled, at_work, isFirst: true };
    });
  }

  /** Locks the message, then its deliveries. @throws RecordNotFound, StaleVersion */
  private async lock(statements: SqlExecutor, { precondition, ...context }: WriteContext, id: number) {
    const stored = await this.records.lock(statements, this.table, context, id);
    const deliveries = await statements.read<DeliveryRow>(`${LOCK_DELIVERIES}${this.dialect.sql.forUpdate}`, [id]);
    const counts = { ...NO_DELIVERIES };
    for (const [, status] of deliveries) counts[status]++;
    if (precondition && !precondition(versionOf(toRecord(stored, counts)))) throw new StaleVersion();
    return { stored, deliveries };
  }

  /** Cancels the pending ones of these locked deliveries. `marked`: how many attempts in progress have become the last. */
  private async endPending(statements: Transaction, by: Actor, deliveries: readonly DeliveryRow[], end: MessageEnd) {
    const pending = deliveries.filter(([, status]) => status === 'pending');
    const waiting = pending.filter(([, , isLeased]) => isLeased === 0).map(([id]) => id);
    const atWork = pending.filter(([, , isLeased]) => isLeased === 1).map(([id]) => id);
    await this.cancellation.cancel(statements, by, { ids: waiting, time: timestamp(this.clock.now()), end });
    const marked = await markLastAttempts(statements, atWork, end);
    return { cancelled: waiting.length, at_work: atWork.length, marked };
  }

  private async describe({ type }: DescribedEvent, accountId: number, stored: StoredRecord): Promise<EventText> {
    if (type === 'message.cancelled') return describeCancellation(stored);
    if (type === 'message.acknowledged') return describeAcknowledgement(stored);
    const [{ deliveries }] = await this.withCounts(accountId, [stored]);
    const total = Object.values(deliveries).reduce((sum, count) => sum + count);
    return describeMessage(stored, total);
  }

  private async withCounts(accountId: number, records: readonly StoredRecord[]): Promise<MessageRecord[]> {
    const counts = new Map(records.map(({ id }) => [id, { ...NO_DELIVERIES }]));
    const ids = [...counts.keys()];
    const list = ids.length > 1 ? { table: 'deliveries', accountId } : undefined;
    for (let start = 0; start < ids.length; start += MESSAGES_PER_COUNT) {
      const { sql, values } = inList(ids.slice(start, start + MESSAGES_PER_COUNT));
      const rows = await this.dialect.read<CountRow>(`${COUNT} ${sql} GROUP BY message_id, status`, values, list);
      for (const [id, status, count] of rows) counts.get(id)![status] = count;
    }
    return records.map((record) => toRecord(record, counts.get(record.id)!));
  }
}

/** Preserves the field order, which clients see in responses. */
function toRecord(stored: StoredRecord, deliveries: DeliveryCounts): MessageRecord {
  const { send_at, expires_at, until, acknowledged, repeats, datetime, ...rest } = stored;
  const times = { send_at: timeOf(send_at), expires_at: timeOf(expires_at) };
  return { ...rest, deliveries, ...times, until, acknowledged: parseAcknowledgement(acknowledged), repeats, datetime };
}

function timeOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}

/** Requires that all handlers the message names are enabled. @throws RequestError 400 */
function requireEnabled({ handler_ids, steps = [] }: CreateMessage, recipients: readonly StepRecipient[]): void {
  const firstStepCount = recipients.filter(({ step }) => step === undefined).length;
  const laterStepCount = steps.reduce((sum, { handlerIds }) => sum + handlerIds.length, 0);
  if (handler_ids && firstStepCount < handler_ids.length) throw invalidField('handler_ids', `handler_ids must be ${HANDLER_IDS.expected}.`);
  const isFirstFound = firstStepCount > 0 && firstStepCount <= MAX_RECIPIENTS;
  if (isFirstFound && (recipients.length < firstStepCount + laterStepCount || recipients.length > MAX_RECIPIENTS))
    throw invalidField('steps', `steps must be ${STEPS.expected}.`);
}

function invalidField(name: string, detail: string): RequestError {
  return RequestError.of('invalid_parameter', detail, { in: 'form', name });
}
