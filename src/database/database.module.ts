import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { createDialect, dataSourceOptions } from '../../ormconfig';
import { Config } from '../config/config';
import { AuditReader } from './audit/audit-reader';
import { AuditPruning } from './audit/audit-pruning';
import { Dialect } from './dialect';
import { FilterCounts } from './lists/filter-counts';
import { ListCounts } from './lists/list-counts';
import { ListMemory } from './lists/list-memory';
import { OrderedPages } from './lists/ordered-pages';
import { RepositoryWrites } from './lists/repository-writes';
import { TextSearch } from './lists/text-search';
import { Migrations } from './migrations';
import { toDatabaseUrlError, connect, type DialectOptions } from './open-database';
import { PageReader } from './records/page-reader';
import { Records } from './records/records';
import { Idempotency } from './writes/idempotency';
import { MinuteLimits } from './writes/minute-limits';
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
    ...[AuditReader, AuditPruning, WriteExecutor, Idempotency, Migrations, MinuteLimits, Transactions],
    ...[FilterCounts, ListCounts, ListMemory, OrderedPages, PageReader, Records, RepositoryWrites, TextSearch],
  ],
  exports: [
    ...[AuditReader, AuditPruning, Dialect, WriteExecutor, Migrations, MinuteLimits, OrderedPages, Records],
    ...[TextSearch, Transactions],
  ],
})
export class DatabaseModule {}
