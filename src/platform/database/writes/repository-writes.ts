import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityMetadata,
  type EntitySubscriberInterface,
  type InsertEvent,
  type QueryRunner,
  type UpdateEvent,
} from 'typeorm';
import { fold } from '../../common/fold-text';
import { timestamp } from '../../common/time';
import { Dialect } from '../dialect';
import { cascadesOf } from '../foreign-keys';
import { ANY_ACCOUNT, type CountedChanges, countStatement } from '../lists/list-changes';
import { CREATED_COLUMN, FOLDED_SUFFIX, UPDATED_COLUMN } from '../records/record-table';

type EntityValues = Record<string, unknown>;

type OwnedEntity = { account_id?: unknown } | undefined;

interface WriteEvent {
  readonly metadata: EntityMetadata;
  readonly queryRunner: QueryRunner;
  readonly entity?: OwnedEntity;
  readonly databaseEntity?: OwnedEntity;
  /** The inserted id; absent for a query builder's insert. */
  readonly entityId?: unknown;
}

/** Changes of one statement or flush; `counted` is keyed by account and table. */
interface PendingCounts {
  readonly counted: Map<string, CountedChanges>;
  readonly written: Promise<unknown>;
}

/**
 * Does for repositories, entity managers and query builders what `Records` does for its own writes: sets times, unless the caller has, and
 * folded texts, and counts changes in the write's transaction. A write without a transaction is committed before it is counted, so the
 * number of changed records counts as unknown.
 */
@Injectable()
export class RepositoryWrites implements EntitySubscriberInterface {
  /** Counts not yet written. The events of one statement or flush arrive in the same tick, so their counts are written together. */
  private readonly pending = new WeakMap<QueryRunner, PendingCounts>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {
    dataSource.subscribers.push(this);
  }

  beforeInsert({ entity, metadata }: InsertEvent<EntityValues>): void {
    if (isRecord(metadata)) entity[CREATED_COLUMN] ??= timestamp(this.dialect.clock.now());
    foldTexts(entity, metadata);
  }

  beforeUpdate({ entity, databaseEntity, metadata }: UpdateEvent<EntityValues>): void {
    if (!entity) return;
    const isSetByCaller =
      entity[UPDATED_COLUMN] !== undefined && entity[UPDATED_COLUMN] !== (databaseEntity as EntityValues | undefined)?.[UPDATED_COLUMN];
    if (isRecord(metadata) && !isSetByCaller) entity[UPDATED_COLUMN] = timestamp(this.dialect.clock.now());
    foldTexts(entity, metadata);
  }

  afterInsert = (event: WriteEvent) => this.count(event, 'inserted');
  afterUpdate = (event: WriteEvent) => this.count(event, 'updated');
  afterRemove = (event: WriteEvent) => this.count(event, 'deleted');
  afterSoftRemove = (event: WriteEvent) => this.count(event, 'updated');
  afterRecover = (event: WriteEvent) => this.count(event, 'updated');

  private count(event: WriteEvent, change: 'inserted' | 'deleted' | 'updated'): Promise<unknown> | undefined {
    const { metadata, queryRunner, entity, databaseEntity, entityId } = event;
    if (!metadata.findColumnWithDatabaseName('account_id')) return undefined;
    const accounts = new Set([entity?.account_id, databaseEntity?.account_id].filter((id) => typeof id === 'number'));
    const [account] = accounts;
    const isInsert = change === 'inserted';
    const isOneRow = (isInsert ? entityId : databaseEntity) !== undefined; // a query builder may write any number of rows
    const accountId = accounts.size === 1 && (isOneRow || isInsert) ? account : ANY_ACCOUNT;
    const isExact = queryRunner.isTransactionActive && isOneRow && accountId !== ANY_ACCOUNT;
    const { counted, written } = this.pending.get(queryRunner) ?? this.beginCounting(queryRunner);
    const add = (table: string, counter: keyof CountedChanges['changes']) => {
      const changes = counted.get(`${accountId} ${table}`)?.changes ?? {};
      counted.set(`${accountId} ${table}`, { accountId, table, changes: { ...changes, [counter]: (changes[counter] ?? 0) + 1 } });
    };
    add(metadata.tableName, isExact ? change : 'uncounted');
    if (change === 'deleted') for (const table of cascadesOf(this.dataSource, metadata.tableName)) add(table, 'uncounted');
    return written;
  }

  private beginCounting(queryRunner: QueryRunner): PendingCounts {
    const counted: PendingCounts['counted'] = new Map();
    const written = Promise.resolve().then(() => {
      this.pending.delete(queryRunner);
      return queryRunner.query(...countStatement(this.dialect, [...counted.values()]));
    });
    this.pending.set(queryRunner, { counted, written });
    return { counted, written };
  }
}

/** Whether the entity has the columns of an `AccountRecord`. */
function isRecord({ columns }: EntityMetadata): boolean {
  return ['account_id', CREATED_COLUMN, UPDATED_COLUMN].every((name) => columns.some(({ databaseName }) => databaseName === name));
}

function foldTexts(entity: EntityValues, { columns }: EntityMetadata): void {
  for (const { propertyName } of columns.filter((column) => column.propertyName.endsWith(FOLDED_SUFFIX))) {
    const text = entity[propertyName.slice(0, -FOLDED_SUFFIX.length)];
    if (typeof text === 'string' || text === null) entity[propertyName] = fold(text ?? '');
  }
}
