import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Page } from '../../common/page';
import { type Versioned, versionOf } from '../../common/record-version';
import { timestamp } from '../../common/time';
import type { WriteContext } from '../../common/write-context';
import { audit } from '../../database/audit/audit';
import { Dialect, type SqlExecutor } from '../../database/dialect';
import { countChanges } from '../../database/lists/list-changes';
import type { ListRequest } from '../../database/records/page-reader';
import { Records } from '../../database/records/records';
import { inList } from '../../database/value-lists';
import { WriteExecutor } from '../../database/writes/write-executor';
import { type DeliveryStatus } from '../delivery.entity';
import { DeliveryQueue } from '../queue/delivery-queue';
import type { Recipient } from '../queue/lane';
import { DeliveryWorker } from '../sending/delivery-worker';
import { type CreateMessage, type DeliveryCounts, MessageRecord } from './message.dto';
import { Message } from './message.entity';
import { Recipients } from './recipients';

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
      const rows = await this.dialect.read(`${COUNT} ${sql} GROUP BY message_id, status`, values, list);
      for (const [id, status, count] of rows) counts.get(Number(id))![status as DeliveryStatus] = Number(count);
    }
    return counts;
  }
}

function withCounts({ datetime, ...rest }: StoredRecord, deliveries = NO_DELIVERIES): MessageRecord {
  return { ...rest, deliveries, datetime };
}
