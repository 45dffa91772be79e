import type { DataSource, EntityMetadata } from 'typeorm';
import { ApiKey } from '../keys/api-key.entity';
import { Account } from './account.entity';

/**
 * The tables with an `account_id`, except the audit, which outlives the account. Records have a foreign key to it, and come before
 * the tables that they reference.
 */
export function accountTables({ entityMetadatas }: DataSource): { records: EntityMetadata[]; others: EntityMetadata[] } {
  const owned = entityMetadatas.filter((table) => table.findColumnWithDatabaseName('account_id') && table.tableName !== 'audit');
  const isRecord = ({ target, foreignKeys }: EntityMetadata) =>
    target !== ApiKey && foreignKeys.some(({ referencedEntityMetadata }) => referencedEntityMetadata.target === Account);
  return { records: referringFirst(owned.filter(isRecord)), others: owned.filter((table) => !isRecord(table)) };
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
