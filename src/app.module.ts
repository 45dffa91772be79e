import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { MulterModule } from '@nestjs/platform-express';
import { AuthModule } from './auth/auth.module';
import { BearerGuard } from './auth/bearer.guard';
import { ScopeGuard } from './auth/scope.guard';
import { DeliveriesModule } from './deliveries/deliveries.module';
import { DomainsModule } from './domains/domains.module';
import { EventsModule } from './events/events.module';
import { MessagesModule } from './messages/messages.module';
import { NotificationHandlersModule } from './notification-handlers/notification-handlers.module';
import { NotificationsModule } from './notifications/notifications.module';
import type { Config } from './platform/config/config';
import { CoreModule } from './platform/core.module';
import { DatabaseModule } from './platform/database/database.module';
import type { Extensions } from './platform/extensions/extensions';
import { ErrorFilter } from './platform/http/error.filter';
import { InputValidationPipe } from './platform/http/input/validation.pipe';
import { UPLOAD_OPTIONS } from './platform/http/input/uploads';
import { JobsModule } from './platform/jobs/jobs.module';
import { ObservabilityModule } from './platform/observability/observability.module';
import { AdmissionGuard } from './platform/quotas/admission.guard';
import { QuotasModule } from './platform/quotas/quotas.module';
import { RateLimitGuard, RequestCounter } from './platform/quotas/rate-limit.guard';
import { SchedulingModule } from './scheduling/scheduling.module';

@Module({
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: InputValidationPipe },
  ],
})
export class AppModule {
  /** A disabled guard is left out, to save its cost. `overrides`: the sandbox's clock and network. */
  static forRoot(config: Config, extensions: Extensions, overrides: Provider[] = []): DynamicModule {
    const isLimited = config.rateLimit !== undefined;
    const guards = [BearerGuard, ...(isLimited ? [RateLimitGuard] : []), ScopeGuard, AdmissionGuard];
    return {
      module: AppModule,
      imports: [
        DomainsModule,
        NotificationHandlersModule,
        NotificationsModule,
        SchedulingModule,
        { ...MulterModule.register(UPLOAD_OPTIONS), global: true },
        CoreModule.forRoot(config, extensions, overrides),
        DatabaseModule,
        JobsModule,
        QuotasModule,
        ObservabilityModule,
        AuthModule,
        MessagesModule,
        DeliveriesModule,
        EventsModule,
        ...extensions.modules, // after the service's, whose routes come first
      ],
      providers: [...(isLimited ? [RequestCounter] : []), ...guards.map((useClass) => ({ provide: APP_GUARD, useClass }))],
    };
  }
}
