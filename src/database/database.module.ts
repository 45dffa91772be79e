import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDialect, dataSourceOptions } from '../../ormconfig';
import { Config } from '../config';
import { AuditLog } from './audit-log';
import { AuditPruning } from './audit-pruning';
import { Changes } from './changes';
import { Dialect } from './dialect';
import { Idempotency } from './idempotency';
import { LargeLists } from './large-lists';
import { LargePages } from './large-pages';
import { Migrations } from './migrations';
import { connect, opening } from './open-database';
import { Records } from './records';
import { Transactions } from './transactions';

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
  providers: [AuditLog, AuditPruning, Changes, Idempotency, LargeLists, LargePages, Migrations, Records, Transactions],
  exports: [AuditLog, AuditPruning, Changes, Migrations, Records, Transactions],
})
export class DatabaseModule {}
