import { DataSource, type DataSourceOptions } from 'typeorm';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDialect, dataSourceOptions } from '../../ormconfig';
import { Config, ConfigError } from '../config/config';
import { AuditReader } from './audit/audit';
import { AuditPruning } from './audit/audit-pruning';
import { Dialect } from './dialect';
import { FilterCounts } from './lists/filter-counts';
import { ListCounts } from './lists/list-counts';
import { ListMemory } from './lists/list-memory';
import { OrderedPages } from './lists/ordered-pages';
import { RepositoryWrites } from './lists/repository-writes';
import { TextSearch } from './lists/text-search';
import { Migrations } from './migrations';
import { PageReader } from './records/page-reader';
import { Records } from './records/records';
import { Idempotency } from './writes/idempotency';
import { Transactions, WriteExecutor } from './writes/transactions';

/** mysql2's codes for failures before and in the TLS handshake. */
const TLS_FAILURES = ['HANDSHAKE_SSL_ERROR', 'HANDSHAKE_NO_SSL_SUPPORT'];

export type DialectOptions = DataSourceOptions & { dialect: Dialect };

/** @throws ConfigError */
export function connect(options?: DataSourceOptions): Promise<DataSource> {
  const { dialect } = options as DialectOptions;
  return toDatabaseUrlError(() => dialect.createDataSource(options!).initialize());
}

/** @throws ConfigError naming DATABASE_URL for an error with a code, which comes from the system or the driver */
export async function toDatabaseUrlError<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = message || code; // when all addresses of a host fail, Node's error has no message
    if (!TLS_FAILURES.includes(code)) throw new ConfigError(`DATABASE_URL: the database can't be opened: ${reason}`);
    throw new ConfigError(`DATABASE_URL: TLS connection failed: ${reason}. For a private CA, set ssl-ca to its certificate file.`);
  }
}

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
    ...[FilterCounts, ListCounts, ListMemory, OrderedPages, PageReader, Records, RepositoryWrites, TextSearch],
  ],
  exports: [...[AuditReader, AuditPruning, Dialect, WriteExecutor, Migrations, OrderedPages, Records], ...[TextSearch, Transactions]],
})
export class DatabaseModule {}
