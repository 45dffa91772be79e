import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { Refusal, refusal } from '../../platform/common/errors';
import { type Page, type Versioned } from '../../platform/common/records';
import { timestamp } from '../../platform/common/time';
import { StaleVersion, type WriteContext } from '../../platform/common/write-context';
import { audit, because } from '../../platform/database/events/audit';
import { Dialect, type SqlExecutor, type SqlReader } from '../../platform/database/dialect';
import type { ListRequest } from '../../platform/database/records/page-reader';
import { versionOf } from '../../platform/database/records/record-table';
import { Records } from '../../platform/database/records/records';
import { inList } from '../../platform/database/value-lists';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import type { DeliveryStatus } from '../delivery.entity';
import { describeCancellation, describeMessage } from '../delivery-texts';
import { cancelDeliveries } from '../queue/cancellation';
import type { Recipient } from '../queue/lane';
import { AccountMessages, MAX_RECIPIENTS } from './account-messages';
import { type CancellationCounts, type CreateMessage, type DeliveryCounts, HANDLER_IDS, MessageRecord, violationsIn } from './message.dto';
import { Message } from './message.entity';

/** Messages counted per statement: each may have 1,000 deliveries. */
const COUNTED = 64;
const COUNT = 'SELECT message_id, status, COUNT(*) FROM deliveries WHERE message_id IN';
const NO_DELIVERIES: DeliveryCounts = { pending: 0, delivered: 0, failed: 0, cancelled: 0 };

type CountRow = [id: number, status: DeliveryStatus, count: number];

/** A message without its counts; `send_at` and `expires_at` are in milliseconds since 1970. */
type StoredRecord = Omit<MessageRecord, 'deliveries' | 'send_at' | 'expires_at'> & { send_at: number | null; expires_at: number | null };

const LOCK_DELIVERIES = 'SELECT id, status, lease IS NOT NULL FROM deliveries WHERE message_id = ? ORDER BY id';
const MARK = 'UPDATE deliveries SET cancelled_by = ? WHERE cancelled_by IS NULL AND id IN';

@Injectable()
export class MessagesService {
  private readonly table = this.records.table<StoredRecord>(Message, MessageRecord, {
    noun: 'message',
    events: ['create', 'cancel'],
    present: async (stored, accountId) => (await this.withCounts(accountId, [stored]))[0],
    describeEvent: async ({ type }, stored, accountId) => {
      if (!stored) return undefined;
      if (type === 'message.cancelled') return describeCancellation(stored);
      const [{ deliveries }] = await this.withCounts(accountId, [stored]);
      return describeMessage(
        stored,
        Object.values(deliveries).reduce((sum, count) => sum + count),
      );
    },
  });

  constructor(
    private readonly records: Records,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly messages: AccountMessages,
    private readonly clock: Clock,
  ) {}

  async findPage(accountId: number, request: ListRequest): Promise<Page<MessageRecord>> {
    const { records, total } = await this.records.findPage(this.table, accountId, request);
    return { records: await this.withCounts(accountId, records), total, request };
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number): Promise<Versioned<MessageRecord>> {
    const stored = await this.records.find(this.table, accountId, id);
    const [record] = await this.withCounts(accountId, [stored.record]);
    return { record, version: versionOf(record) };
  }

  /** `isRepeat`: the id is that of an earlier message with its `dedup_key`. @throws Refusal 400 */
  async create(context: WriteContext, message: CreateMessage): Promise<{ id: number; isRepeat: boolean }> {
    const { accountId } = context;
    // Negative for a repeat: an idempotency key stores only a number, and a replay must get the same response.
    const id = await this.executor.runOnce(context, async (statements) => {
      const violations = violationsIn(message, this.clock.now());
      if (violations.length > 0) throw new Refusal(violations);
      const repeated = await this.messages.findRepeated(statements, accountId, message);
      if (repeated !== undefined) return -repeated;
      const recipients = await this.requireRecipients(statements, accountId, message.handler_ids);
      return this.messages.write(statements, context, message, recipients);
    });
    return { id: Math.abs(id), isRepeat: id < 0 };
  }

  /** Cancels the message's pending deliveries; an attempt in progress goes on, as the last. @throws RecordNotFound, StaleVersion */
  cancel({ precondition, ...context }: WriteContext, id: number): Promise<CancellationCounts> {
    return this.executor.run(async (statements) => {
      const stored = await this.records.lock(statements, this.table, context, id);
      type Row = [id: number, status: DeliveryStatus, isLeased: number];
      const rows = await statements.read<Row>(`${LOCK_DELIVERIES}${this.dialect.sql.forUpdate}`, [id]);
      const counts = { ...NO_DELIVERIES };
      for (const [, status] of rows) counts[status]++;
      if (precondition && !precondition(versionOf(toRecord(stored, counts)))) throw new StaleVersion();
      const pending = rows.filter(([, status]) => status === 'pending');
      const idsOf = (leased: number) => pending.filter(([, , isLeased]) => isLeased === leased).map(([each]) => each);
      const [waiting, atWork, cancelledBy] = [idsOf(0), idsOf(1), context.keyId ?? 0];
      const time = timestamp(this.clock.now());
      await cancelDeliveries(this.dialect, statements, because(context), { ids: waiting, time, cancelledBy });
      const marked = atWork.length > 0 ? await this.mark(statements, atWork, cancelledBy) : 0;
      if (waiting.length + marked > 0) await audit(statements, context, { action: 'cancel', record: 'message', recordId: id });
      return { cancelled: waiting.length, at_work: atWork.length, finished: rows.length - pending.length };
    });
  }

  /** All of `ids` must be enabled. @throws Refusal 400 */
  private async requireRecipients(reader: SqlReader, accountId: number, ids?: readonly number[]): Promise<Recipient[]> {
    const found = await this.messages.findRecipients(reader, accountId, ids);
    if (ids && found.length < ids.length) throw refuse(`handler_ids must be ${HANDLER_IDS.expected}.`);
    if (found.length === 0) throw refuse('The account has no enabled notification handler: create or enable one.');
    if (found.length > MAX_RECIPIENTS) {
      throw refuse(`The account has more than ${MAX_RECIPIENTS} enabled handlers: name up to 100 in handler_ids.`);
    }
    return found;
  }

  private async mark(statements: SqlExecutor, ids: readonly number[], cancelledBy: number): Promise<number> {
    const { sql, values } = inList(ids);
    return (await statements.write(`${MARK} ${sql}`, [cancelledBy, ...values])).affected;
  }

  private async withCounts(accountId: number, records: readonly StoredRecord[]): Promise<MessageRecord[]> {
    const counts = new Map(records.map(({ id }) => [id, { ...NO_DELIVERIES }]));
    const ids = [...counts.keys()];
    const list = ids.length > 1 ? { table: 'deliveries', accountId } : undefined;
    for (let start = 0; start < ids.length; start += COUNTED) {
      const { sql, values } = inList(ids.slice(start, start + COUNTED));
      const rows = await this.dialect.read<CountRow>(`${COUNT} ${sql} GROUP BY message_id, status`, values, list);
      for (const [id, status, count] of rows) counts.get(id)![status] = count;
    }
    return records.map((record) => toRecord(record, counts.get(record.id)!));
  }
}

/** Keeps the order of the fields, which responses show. */
function toRecord({ send_at, expires_at, repeats, datetime, ...rest }: StoredRecord, deliveries: DeliveryCounts): MessageRecord {
  return { ...rest, deliveries, send_at: timeOf(send_at), expires_at: timeOf(expires_at), repeats, datetime };
}

function timeOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}

function refuse(detail: string): Refusal {
  return refusal('invalid_parameter', detail, { in: 'form', name: 'handler_ids' });
}
