import type { DataSource, EntityMetadata } from 'typeorm';
import { DeletionCount } from '../../database/records/deletion-count.entity';
import { IdempotencyKey } from '../../database/writes/idempotency-key.entity';
import { ApiKey } from '../keys/api-key.entity';

const NOT_RECORDS: unknown[] = [ApiKey, IdempotencyKey, DeletionCount];

/** The tables with an `account_id`, except the audit, which outlives the account. Records come before the tables that they refer to. */
export function accountTables({ entityMetadatas }: DataSource): { records: EntityMetadata[]; others: EntityMetadata[] } {
  const owned = entityMetadatas.filter((table) => table.findColumnWithDatabaseName('account_id') && table.tableName !== 'audit');
  const records = owned.filter(({ target }) => !NOT_RECORDS.includes(target));
  const others = owned.filter(({ target }) => NOT_RECORDS.includes(target));
  return { records: referringFirst(records), others };
}

/** Sorts topologically. */
function referringFirst(tables: EntityMetadata[]): EntityMetadata[] {
  const visited = new Set<EntityMetadata>();
  const sorted: EntityMetadata[] = [];
  const visit = (table: EntityMetadata): void => {
    if (visited.has(table)) return;
    visited.add(table);
    tables.filter(({ foreignKeys }) => foreignKeys.some((key) => key.referencedEntityMetadata === table)).forEach(visit);
    sorted.push(table);
  };
  tables.forEach(visit);
  return sorted;
}
