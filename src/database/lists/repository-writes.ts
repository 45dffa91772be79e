import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityMetadata,
  type EntitySubscriberInterface,
  type InsertEvent,
  type QueryRunner,
  type RemoveEvent,
  type UpdateEvent,
} from 'typeorm';
import { Dialect } from '../dialect';
import { ANY_ACCOUNT, type Changes, type CountedChanges, countStatement } from './list-changes';

const ACCOUNT = 'account_id';

type Owned = { account_id?: unknown } | undefined;
type Change = 'inserted' | 'deleted' | 'updated';

interface WriteEvent {
  readonly metadata: EntityMetadata;
  readonly queryRunner: QueryRunner;
  readonly entity?: Owned;
  readonly databaseEntity?: Owned;
}

/**
 * Counts what repositories, entity managers and query builders write, in their transaction. Outside one, the write is committed first and
 * a count could see it before the change is counted: such a change is one of unknown extent. `Records` and imports count their own.
 */
@Injectable()
export class RepositoryWrites implements EntitySubscriberInterface {
  /** Of one statement or flush, written together. */
  private readonly pending = new WeakMap<
    QueryRunner,
    { readonly counted: Map<string, CountedChanges>; readonly written: Promise<unknown> }
  >();

  constructor(
    dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {
    dataSource.subscribers.push(this);
  }

  afterInsert = (event: InsertEvent<unknown>) => this.count(event as WriteEvent, 'inserted');
  afterUpdate = (event: UpdateEvent<unknown>) => this.count(event as WriteEvent, 'updated');
  afterRemove = (event: RemoveEvent<unknown>) => this.count(event as WriteEvent, 'deleted');
  afterSoftRemove = (event: WriteEvent) => this.count(event, 'updated');
  afterRecover = (event: WriteEvent) => this.count(event, 'updated');

  private count({ metadata, queryRunner, entity, databaseEntity }: WriteEvent, change: Change): Promise<unknown> | undefined {
    if (!metadata.findColumnWithDatabaseName(ACCOUNT)) return undefined;
    const accounts = new Set([entity?.account_id, databaseEntity?.account_id].filter((id) => typeof id === 'number'));
    const [account] = accounts;
    const accountId = accounts.size === 1 ? account : ANY_ACCOUNT;
    const isExact = queryRunner.isTransactionActive && accountId !== ANY_ACCOUNT;
    this.add(queryRunner, metadata.tableName, accountId, isExact ? change : 'uncounted');
    return this.pending.get(queryRunner)!.written;
  }

  private add(queryRunner: QueryRunner, table: string, accountId: number, change: Change | 'uncounted'): void {
    const pending = this.pending.get(queryRunner) ?? this.begin(queryRunner);
    const key = `${accountId} ${table}`;
    const changes: Changes = pending.counted.get(key)?.changes ?? {};
    pending.counted.set(key, { accountId, table, changes: { ...changes, [change]: (changes[change] ?? 0) + 1 } });
  }

  /** Events of one statement come at once, and all are waited for. */
  private begin(queryRunner: QueryRunner) {
    const counted = new Map<string, CountedChanges>();
    const written = Promise.resolve().then(() => {
      this.pending.delete(queryRunner);
      return queryRunner.query(...countStatement(this.dialect, [...counted.values()]));
    });
    const pending = { counted, written };
    this.pending.set(queryRunner, pending);
    return pending;
  }
}
