import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdmissionGuard } from './admission/admission.guard';
import { AdmissionModule } from './admission/admission.module';
import { AuthModule } from './auth/auth.module';
import { BearerGuard, ScopeGuard } from './auth/caller';
import { CommonModule } from './common/common.module';
import type { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { DatabaseModule } from './database/database.module';
import { DeliveriesModule } from './deliveries/deliveries.module';
import { DemoModule } from './demo/demo.module';
import { DomainsModule } from './domains/domains.module';
import { ErrorFilter } from './http/errors/error.filter';
import { RecordIdGuard } from './http/input/fields';
import { limitMulter } from './http/input/request-body';
import { ValidationGuard } from './http/input/validation.guard';
import { JobsModule } from './jobs/jobs.module';
import { NotificationHandlersModule } from './notification-handlers/notification-handlers.module';
import { NotificationsModule } from './notifications/notifications.module';
import { ObservabilityModule } from './observability/observability.module';
import { QuotasModule } from './quotas/quotas.module';
import { RateLimitGuard } from './quotas/rate-limit.guard';
import { RequestCounter } from './quotas/request-counter';
import { SchedulingModule } from './scheduling/scheduling.module';

/** Root module: the areas, the global guards and the error filter. */
@Module({
  imports: [
    limitMulter(),
    CommonModule,
    DatabaseModule,
    AuthModule,
    AdmissionModule,
    JobsModule,
    QuotasModule,
    DomainsModule,
    NotificationHandlersModule,
    NotificationsModule,
    DeliveriesModule,
    SchedulingModule,
    ObservabilityModule,
    DemoModule,
  ],
  providers: [{ provide: APP_FILTER, useClass: ErrorFilter }],
})
export class AppModule {
  /** Adds the global guards, in the order they run, and an extension's modules. A disabled guard is left out, to save its cost. */
  static with(config: Config, extension: Type[] = []): DynamicModule {
    const isLimited = config.rateLimit !== undefined;
    const guards = [RecordIdGuard, BearerGuard, ...(isLimited ? [RateLimitGuard] : []), ScopeGuard, ValidationGuard, AdmissionGuard];
    return {
      module: AppModule,
      imports: [ConfigModule.with(config), ...extension],
      providers: [...(isLimited ? [RequestCounter] : []), ...guards.map((useClass) => ({ provide: APP_GUARD, useClass }))],
    };
  }
}
