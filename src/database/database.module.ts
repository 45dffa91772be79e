import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDialect, dataSourceOptions } from '../../ormconfig';
import { Config } from '../config/config';
import { AuditLog } from './audit/audit-log';
import { AuditPruning } from './audit/audit-pruning';
import { WriteExecutor } from './writes/write-executor';
import { Dialect } from './dialect';
import { Idempotency } from './writes/idempotency';
import { KeysetCache } from './records/keyset-cache';
import { KeysetPager } from './records/keyset-pager';
import { Migrations } from './migrations';
import { connect, opening } from './open-database';
import { Records } from './records/records';
import { Transactions } from './writes/transactions';

@Global()
@Module({
  providers: [{ provide: Dialect, useFactory: (config: Config) => opening(() => createDialect(config)), inject: [Config] }],
  exports: [Dialect],
})
class DialectModule {}

/** The connection, and the ways through it: `Records` reads and writes records, `Changes` carries out what belongs to a write. */
@Global()
@Module({
  imports: [
    DialectModule,
    TypeOrmModule.forRootAsync({
      inject: [Dialect],
      useFactory: (dialect: Dialect) => ({
        ...dataSourceOptions(dialect),
        dialect,
        toRetry: () => false, // retryAttempts: 0 still logs "Retrying"
        autoLoadEntities: true,
      }),
      dataSourceFactory: connect,
    }),
  ],
  providers: [AuditLog, AuditPruning, WriteExecutor, Idempotency, KeysetCache, KeysetPager, Migrations, Records, Transactions],
  exports: [AuditLog, AuditPruning, WriteExecutor, Migrations, Records, Transactions],
})
export class DatabaseModule {}
