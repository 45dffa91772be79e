import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../common/clock';
import { Page, type Versioned, versionOf } from '../../common/records';
import { timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import { audit } from '../../database/audit/audit';
import { Dialect, type SqlExecutor, type SqlReader } from '../../database/dialect';
import { countChanges } from '../../database/lists/list-changes';
import type { ListRequest } from '../../database/records/page-reader';
import { Records } from '../../database/records/records';
import { inList } from '../../database/value-lists';
import { WriteExecutor } from '../../database/writes/transactions';
import { RequestError, type Violation } from '../../http/errors/request-error';
import type { FormChecker } from '../../http/input/validation.guard';
import { DeliveryTargets } from '../../notification-handlers/delivery-targets';
import type { DeliveryStatus } from '../delivery.entity';
import { DeliveryQueue } from '../queue/delivery-queue';
import type { Recipient } from '../queue/lane';
import { DeliveryWorker } from '../sending/delivery-worker';
import { type CreateMessage, type DeliveryCounts, HANDLER_IDS, MessageRecord } from './message.dto';
import { Message } from './message.entity';

const MAX_RECIPIENTS = 1_000;

/** The handlers that a message goes through. */
@Injectable()
export class Recipients implements FormChecker {
  constructor(
    private readonly targets: DeliveryTargets,
    private readonly dialect: Dialect,
  ) {}

  /** @throws RequestError 400 */
  async find(statements: SqlReader, accountId: number, ids?: readonly number[]): Promise<Recipient[]> {
    const found = ids
      ? await this.targets.findEnabledAmong(statements, accountId, ids)
      : await this.targets.findEnabled(statements, accountId, MAX_RECIPIENTS + 1);
    if (ids && found.length < ids.length) throw refuse(`handler_ids must be ${HANDLER_IDS.expected}.`);
    if (found.length === 0) throw refuse('The account has no enabled notification handler: create or enable one.');
    if (found.length > MAX_RECIPIENTS) {
      throw refuse(`The account has more than ${MAX_RECIPIENTS} enabled handlers: name up to 100 in handler_ids.`);
    }
    return found.map(({ id: handlerId, type }) => ({ handlerId, type }));
  }

  async findViolations(request: Request): Promise<Violation[]> {
    const { handler_ids: ids } = request.body as CreateMessage;
    if (ids !== undefined && !Array.isArray(ids)) return []; // the DTO has refused it
    try {
      await this.find(this.dialect, request.user!.accountId, ids);
      return [];
    } catch (error) {
      if (error instanceof RequestError) return [...error.violations];
      throw error;
    }
  }
}

function refuse(detail: string): RequestError {
  return RequestError.of('invalid_parameter', detail, { in: 'form', name: 'handler_ids' });
}

const INSERT = 'INSERT INTO messages (account_id, title, text, url, datetime) VALUES (?, ?, ?, ?, ?)';
/** Messages counted per statement: each may have 1,000 deliveries. */
const COUNTED = 64;
const COUNT = 'SELECT message_id, status, COUNT(*) FROM deliveries WHERE message_id IN';
const NO_DELIVERIES: DeliveryCounts = { pending: 0, delivered: 0, failed: 0, cancelled: 0 };

/** A message without its counts. */
type StoredRecord = Omit<MessageRecord, 'deliveries'>;

@Injectable()
export class MessagesService {
  private readonly table = this.records.table<StoredRecord>(Message, MessageRecord);

  constructor(
    private readonly records: Records,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly recipients: Recipients,
    private readonly queue: DeliveryQueue,
    private readonly worker: DeliveryWorker,
    private readonly clock: Clock,
  ) {}

  async findPage(accountId: number, request: ListRequest): Promise<Page<MessageRecord>> {
    const { records, total } = await this.records.findPage(this.table, accountId, request);
    const counts = await this.countDeliveries(
      accountId,
      records.map(({ id }) => id),
    );
    return new Page(
      records.map((record) => withCounts(record, counts.get(record.id))),
      total,
      request,
    );
  }

  /** @throws RecordNotFound */
  async find(accountId: number, id: number): Promise<Versioned<MessageRecord>> {
    const { record: stored } = await this.records.find(this.table, accountId, id);
    const record = withCounts(stored, (await this.countDeliveries(accountId, [id])).get(id));
    return { record, version: versionOf(record) };
  }

  /** Stores a message with its deliveries, to be sent once the transaction has committed. @throws RequestError 400 for handler_ids */
  async create(context: WriteContext, input: CreateMessage): Promise<number> {
    const id = await this.executor.runStatements(context, async (statements) => {
      const recipients = await this.recipients.find(statements, context.accountId, input.handler_ids);
      return this.insert(statements, context, input, recipients);
    });
    this.worker.wake();
    return id;
  }

  private async insert(statements: SqlExecutor, context: WriteContext, input: CreateMessage, recipients: Recipient[]): Promise<number> {
    const { accountId } = context;
    const { text, title = '', url = '' } = input;
    const now = this.clock.now();
    const { id: messageId } = await statements.write(INSERT, [accountId, title, text, url, timestamp(new Date(now))]);
    await audit(statements, context, { action: 'create', record: this.table.noun, recordId: messageId });
    await this.queue.enqueue(statements, { accountId, messageId, recipients, now });
    await countChanges(this.dialect, statements, accountId, { messages: { inserted: 1 }, deliveries: { inserted: recipients.length } });
    return messageId;
  }

  private async countDeliveries(accountId: number, ids: readonly number[]): Promise<Map<number, DeliveryCounts>> {
    const counts = new Map(ids.map((id) => [id, { ...NO_DELIVERIES }]));
    const list = ids.length > 1 ? { table: 'deliveries', accountId } : undefined;
    for (let start = 0; start < ids.length; start += COUNTED) {
      const { sql, values } = inList(ids.slice(start, start + COUNTED));
      type Row = [id: number, status: DeliveryStatus, count: number];
      const rows = await this.dialect.read<Row>(`${COUNT} ${sql} GROUP BY message_id, status`, values, list);
      for (const [id, status, count] of rows) counts.get(id)![status] = count;
    }
    return counts;
  }
}

function withCounts({ datetime, ...rest }: StoredRecord, deliveries = NO_DELIVERIES): MessageRecord {
  return { ...rest, deliveries, datetime };
}
