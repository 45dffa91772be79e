import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { createDialect, dataSourceOptions } from '../../ormconfig';
import { Config } from '../config/config';
import { AuditReader } from './audit/audit-reader';
import { AuditPruning } from './audit/audit-pruning';
import { Dialect } from './dialect';
import { ListStates } from './lists/list-state';
import { OrderedPages } from './lists/ordered-pages';
import { SettledIds } from './lists/settled-ids';
import { Snapshots } from './lists/snapshots';
import { TextSearch } from './lists/text-search';
import { Migrations } from './migrations';
import { toDatabaseUrlError, connect, type DialectOptions } from './open-database';
import { FilterCounts } from './records/filter-counts';
import { KeysetCache } from './records/keyset-cache';
import { KeysetPager } from './records/keyset-pager';
import { PageReader } from './records/page-reader';
import { Records } from './records/records';
import { Idempotency } from './writes/idempotency';
import { Transactions } from './writes/transactions';
import { WriteExecutor } from './writes/write-executor';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: async (config: Config) => {
        const dialect = await toDatabaseUrlError(() => createDialect(config));
        return { ...dataSourceOptions(dialect), dialect, toRetry: () => false, autoLoadEntities: true }; // retryAttempts: 0 still logs "Retrying"
      },
      dataSourceFactory: connect,
    }),
  ],
  providers: [
    { provide: Dialect, useFactory: ({ options }: DataSource) => (options as DialectOptions).dialect, inject: [DataSource] },
    ...[AuditReader, AuditPruning, WriteExecutor, Idempotency, Migrations, Transactions],
    ...[FilterCounts, KeysetCache, KeysetPager, ListStates, OrderedPages, PageReader, Records, SettledIds, Snapshots, TextSearch],
  ],
  exports: [...[AuditReader, AuditPruning, Dialect, WriteExecutor, Migrations, OrderedPages, Records], ...[TextSearch, Transactions]],
})
export class DatabaseModule {}
