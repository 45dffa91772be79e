import type { DataSource, EntityMetadata } from 'typeorm';
import { DeletionCount } from '../../database/records/deletion-count.entity';
import { IdempotencyKey } from '../../database/writes/idempotency-key.entity';
import { ApiKey } from '../keys/api-key.entity';

/** A table with rows of accounts; the last column of its primary key tells the rows of one account apart. */
export interface AccountTable {
  name: string;
  key: string;
}

export interface AccountTables {
  /** Each before the tables that it refers to. */
  records: AccountTable[];
  /** What belongs to an account and is no record of it. */
  others: AccountTable[];
}

const NO_RECORDS: unknown[] = [ApiKey, IdempotencyKey, DeletionCount];
/** It outlives what it names. */
const KEPT = 'audit';

/** Every table with an `account_id`, so that an added entity is among them. */
export function accountTables({ entityMetadatas }: DataSource): AccountTables {
  const owned = entityMetadatas.filter((table) => isOwned(table) && table.tableName !== KEPT);
  const records = owned.filter(({ target }) => !NO_RECORDS.includes(target));
  const others = owned.filter(({ target }) => NO_RECORDS.includes(target));
  return { records: referringFirst(records).map(described), others: others.map(described) };
}

function isOwned(table: EntityMetadata): boolean {
  return table.findColumnWithDatabaseName('account_id') !== undefined;
}

function referringFirst(tables: EntityMetadata[]): EntityMetadata[] {
  const [seen, ordered] = [new Set<EntityMetadata>(), new Set<EntityMetadata>()];
  const place = (table: EntityMetadata): void => {
    if (seen.has(table)) return;
    seen.add(table);
    tables.filter((other) => refers(other, table)).forEach(place);
    ordered.add(table);
  };
  tables.forEach(place);
  return [...ordered];
}

function refers({ foreignKeys }: EntityMetadata, table: EntityMetadata): boolean {
  return foreignKeys.some(({ referencedEntityMetadata }) => referencedEntityMetadata === table);
}

function described({ tableName, primaryColumns }: EntityMetadata): AccountTable {
  return { name: tableName, key: primaryColumns[primaryColumns.length - 1].databaseName };
}
