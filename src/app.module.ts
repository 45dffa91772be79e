import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AuthModule } from './auth/auth.module';
import { BearerGuard } from './auth/bearer.guard';
import { ScopeGuard } from './auth/scope.guard';
import type { Config } from './config';
import { ConfigModule } from './config.module';
import { DatabaseModule } from './database/database.module';
import { DemoModule } from './demo/demo.module';
import { DomainsModule } from './domains/domains.module';
import { ErrorFilter } from './http/error.filter';
import { RecordIdGuard } from './http/record-id';
import { ValidationGuard } from './http/validation.guard';
import { NotificationHandlersModule } from './notification-handlers/notification-handlers.module';
import { NotificationsModule } from './notifications/notifications.module';
import { OperationsModule } from './operations/operations.module';
import { SchedulingModule } from './scheduling/scheduling.module';

/** The table of contents. What every request passes stands in its order: the guards, validation the last of them, and the filter for errors. */
@Module({
  imports: [
    DatabaseModule,
    AuthModule,
    DomainsModule,
    NotificationHandlersModule,
    NotificationsModule,
    SchedulingModule,
    OperationsModule,
    DemoModule,
  ],
  providers: [
    { provide: APP_GUARD, useClass: RecordIdGuard },
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_GUARD, useClass: ValidationGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class AppModule {
  static with(config: Config): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.with(config)] };
  }
}
