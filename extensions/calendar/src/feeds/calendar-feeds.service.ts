import { Injectable } from '@nestjs/common';
import {
  Config,
  Dialect,
  type ListRequest,
  type Page,
  Records,
  type RecordTable,
  RequestError,
  type Versioned,
  type WriteContext,
  WriteExecutor,
} from 'frontdesk';
import { CalendarFeedRecord, type CreateCalendarFeed, type NewCalendarFeed } from './calendar-feed.dto';
import { CalendarFeed } from './calendar-feed.entity';
import { createToken, hashToken } from './tokens';

@Injectable()
export class CalendarFeedsService {
  private readonly table: RecordTable<CalendarFeedRecord>;

  constructor(
    private readonly records: Records,
    private readonly executor: WriteExecutor,
    private readonly dialect: Dialect,
    private readonly config: Config,
  ) {
    // Excludes `state`, since changed appointments don't change the record.
    this.table = records.table<CalendarFeedRecord>(CalendarFeed, CalendarFeedRecord, { versionedAs: { state: () => '' } });
  }

  findPage(accountId: number, request: ListRequest): Promise<Page<CalendarFeedRecord>> {
    return this.records.findPage(this.table, accountId, request);
  }

  find(accountId: number, id: number): Promise<Versioned<CalendarFeedRecord>> {
    return this.records.find(this.table, accountId, id);
  }

  /** A repeated Idempotency-Key gets only the id, since only the token's hash is stored. @throws RequestError for another account's attendant or service */
  async create(context: WriteContext, input: CreateCalendarFeed): Promise<NewCalendarFeed> {
    let url: string | null = null;
    const id = await this.executor.runOnce(context, async (transaction) => {
      await this.requireOwnRecords(context.accountId, input);
      const token = createToken();
      url = `${this.config.publicUrl}/calendars/${token}.ics`;
      return this.records.insertWithin(transaction, this.table, context, { ...input, token_hash: hashToken(token) });
    });
    return { id, url };
  }

  delete(context: WriteContext, id: number): Promise<number> {
    return this.records.delete(this.table, context, id);
  }

  /** @throws RequestError for an attendant or service that the account doesn't have */
  async requireOwnRecords(accountId: number, { atendente_id, servico_id }: { atendente_id?: number; servico_id?: number }): Promise<void> {
    await this.requireRow('atendentes', 'atendente_id', accountId, atendente_id);
    await this.requireRow('servicos', 'servico_id', accountId, servico_id);
  }

  private async requireRow(table: 'atendentes' | 'servicos', name: string, accountId: number, id?: number): Promise<void> {
    if (id === undefined) return;
    const rows = await this.dialect.read(`SELECT 1 FROM ${table} WHERE account_id = ? AND ${table}_id = ?`, [accountId, id]);
    if (rows.length === 0) throw RequestError.of('invalid_parameter', `There is no record of ${table} with this id.`, { in: 'form', name });
  }
}
