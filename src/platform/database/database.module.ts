import { DataSource, type DataSourceOptions } from 'typeorm';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDialect, dataSourceOptions } from '../../../ormconfig';
import { Clock } from '../common/clock';
import { Config, ConfigError } from '../config/config';
import type { MysqlServer } from '../config/database-url';
import { EventEpoch, EventLogState } from './events/event.entity';
import { EventNumbers } from './events/event-numbers';
import { Extensions } from '../extensions/extensions';
import { Dialect } from './dialect';
import { ListChange } from './lists/list-changes';
import { ListCounts } from './lists/list-counts';
import { ListMemory } from './lists/list-memory';
import { OrderedPages } from './lists/ordered-pages';
import { PageReader } from './lists/page-reader';
import { RepositoryWrites } from './writes/repository-writes';
import { TextSearch } from './lists/text-search';
import { Migrations } from './migrations';
import { Pages } from './records/pages';
import { Records } from './records/records';
import { IdempotencyKey } from './writes/idempotency';
import { IdempotencyRetention } from './writes/idempotency-retention';
import { WriteExecutor } from './writes/transactions';

/** mysql2's error codes for a failed TLS handshake and for a server without TLS. */
const TLS_FAILURES = ['HANDSHAKE_SSL_ERROR', 'HANDSHAKE_NO_SSL_SUPPORT'];

function dialectOf(options?: DataSourceOptions): Dialect {
  return (options as { dialect: Dialect } & DataSourceOptions).dialect;
}

/** Reports errors with a code as errors of DATABASE_URL: except for a missing module, they come from the system or the driver. @throws ConfigError */
async function toDatabaseUrlError<T>(open: () => T | Promise<T>, options?: DataSourceOptions): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || code.includes('MODULE_NOT_FOUND')) throw error;
    const reason = message || code; // when all addresses of a host fail, Node's error has no message
    const { ssl, socketPath } = (options ?? {}) as Partial<MysqlServer>;
    const mayNeedTls = code === 'ER_ACCESS_DENIED_ERROR' && !ssl && !socketPath; // REQUIRE SSL gives the same error as a wrong password
    const advice = mayNeedTls ? '. If the account requires TLS, add ?ssl=true.' : '';
    if (!TLS_FAILURES.includes(code))
      throw new ConfigError(`DATABASE_URL: the database can't be opened: ${reason}${advice}`, { cause: error });
    throw new ConfigError(`DATABASE_URL: TLS connection failed: ${reason}. For a private CA, set ssl-ca to its certificate file.`);
  }
}

function isTimeout({ cause }: Error): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
}

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Config, Extensions, Clock],
      useFactory: async (config: Config, extensions: Extensions, clock: Clock) => {
        const dialect = await toDatabaseUrlError(() => createDialect(config));
        dialect.clock = clock;
        // Tries twice: modules that load in the meantime may block the process for longer than the connection timeout.
        const retry = { retryAttempts: 2, retryDelay: 0, toRetry: isTimeout };
        return { ...dataSourceOptions(dialect, extensions), dialect, ...retry, autoLoadEntities: true };
      },
      dataSourceFactory: (options) => toDatabaseUrlError(() => dialectOf(options).createDataSource(options!).initialize(), options),
    }),
    TypeOrmModule.forFeature([EventEpoch, EventLogState, IdempotencyKey, ListChange]),
  ],
  providers: [
    { provide: Dialect, useFactory: ({ options }: DataSource) => dialectOf(options), inject: [DataSource] },
    EventNumbers,
    IdempotencyRetention,
    Migrations,
    WriteExecutor,
    { provide: Pages, useClass: PageReader },
    ListCounts,
    ListMemory,
    OrderedPages,
    Records,
    RepositoryWrites,
    TextSearch,
  ],
  exports: [Dialect, EventNumbers, ListCounts, WriteExecutor, Migrations, OrderedPages, Records, TextSearch],
})
export class DatabaseModule {}
