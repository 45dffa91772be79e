import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDialect, dataSourceOptions } from '../../ormconfig';
import { Config } from '../config';
import { Changes } from './changes';
import { Dialect } from './dialect';
import { Idempotency } from './idempotency';
import { LargeLists } from './large-lists';
import { LargePages } from './large-pages';
import { Migrations } from './migrations';
import { Records } from './records';
import { Transactions } from './transactions';

@Global()
@Module({
  providers: [{ provide: Dialect, useFactory: createDialect, inject: [Config] }],
  exports: [Dialect],
})
class DialectModule {}

/** The connection, and the ways through it: `Records` to read, `Transactions` to write. */
@Global()
@Module({
  imports: [
    DialectModule,
    TypeOrmModule.forRootAsync({
      inject: [Dialect],
      useFactory: (dialect: Dialect) => ({ ...dataSourceOptions(dialect), retryAttempts: 0 }),
    }),
  ],
  providers: [Changes, Idempotency, LargeLists, LargePages, Migrations, Records, Transactions],
  exports: [Changes, Migrations, Records, Transactions],
})
export class DatabaseModule {}
