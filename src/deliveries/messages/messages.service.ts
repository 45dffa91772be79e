import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type Page, type Versioned, versionOf } from '../../common/records';
import type { WriteContext } from '../../common/write-context';
import { Dialect, type SqlReader } from '../../database/dialect';
import type { ListRequest } from '../../database/records/page-reader';
import { Records } from '../../database/records/records';
import { inList } from '../../database/value-lists';
import { WriteExecutor } from '../../database/writes/transactions';
import { RequestError, type Violation } from '../../http/request-error';
import type { FormChecker } from '../../http/input/validation.guard';
import type { DeliveryStatus } from '../delivery.entity';
import { describeMessage } from '../delivery-texts';
import type { Recipient } from '../queue/lane';
import { AccountMessages, MAX_RECIPIENTS } from './account-messages';
import { type CreateMessage, type DeliveryCounts, HANDLER_IDS, MessageRecord } from './message.dto';
import { Message } from './message.entity';

/** Finds the handlers of a request's message; each one it names must be enabled. */
@Injectable()
export class Recipients implements FormChecker {
  constructor(
    private readonly messages: AccountMessages,
    private readonly dialect: Dialect,
  ) {}

  /** @throws RequestError 400 */
  async find(statements: SqlReader, accountId: number, ids?: readonly number[]): Promise<Recipient[]> {
    const found = await this.messages.findRecipients(statements, accountId, ids);
    if (ids && found.length < ids.length) throw refuse(`handler_ids must be ${HANDLER_IDS.expected}.`);
    if (found.length === 0) throw refuse('The account has no enabled notification handler: create or enable one.');
    if (found.length > MAX_RECIPIENTS) {
      throw refuse(`The account has more than ${MAX_RECIPIENTS} enabled handlers: name up to 100 in handler_ids.`);
    }
    return found;
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

/** Messages counted per statement: each may have 1,000 deliveries. */
const COUNTED = 64;
const COUNT = 'SELECT message_id, status, COUNT(*) FROM deliveries WHERE message_id IN';
const NO_DELIVERIES: DeliveryCounts = { pending: 0, delivered: 0, failed: 0, cancelled: 0 };

type CountRow = [id: number, status: DeliveryStatus, count: number];

/** A message without its counts. */
type StoredRecord = Omit<MessageRecord, 'deliveries'>;

@Injectable()
export class MessagesService {
  private readonly table = this.records.table<StoredRecord>(Message, MessageRecord, {
    events: ['create', 'cancel'],
    present: async (stored, accountId) => (await this.withCounts(accountId, [stored]))[0],
    describeEvent: async (_event, stored, accountId) => {
      if (!stored) return undefined;
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
    private readonly recipients: Recipients,
    private readonly messages: AccountMessages,
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

  /** @throws RequestError 400 for handler_ids */
  create(context: WriteContext, message: CreateMessage): Promise<number> {
    return this.executor.runStatements(context, async (statements) => {
      const recipients = await this.recipients.find(statements, context.accountId, message.handler_ids);
      return this.messages.write(statements, context, message, recipients);
    });
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
    return records.map(({ datetime, ...rest }) => ({ ...rest, deliveries: counts.get(rest.id)!, datetime }));
  }
}
