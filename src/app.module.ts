import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdmissionGuard } from './platform/quotas/admission.guard';
import { BearerGuard, ScopeGuard } from './auth/caller';
import type { Config } from './platform/config/config';
import { DatabaseModule } from './platform/database/database.module';
import type { Extensions } from './platform/extensions/extensions';
import { CoreModule } from './platform/core.module';
import { ErrorFilter } from './platform/http/error.filter';
import { RecordIdGuard } from './platform/http/input/fields';
import { limitMulter } from './platform/http/input/uploads';
import { ValidationGuard } from './platform/http/input/validation.guard';
import { RateLimitGuard, RequestCounter } from './platform/quotas/rate-limit.guard';
import { SchedulingModule } from './scheduling/scheduling.module';

@Module({
  imports: [limitMulter(), DatabaseModule],
  providers: [{ provide: APP_FILTER, useClass: ErrorFilter }],
})
export class AppModule {
  /**
   * Adds the areas (`extensions` includes the service's own) and the global guards, in the order they run. A disabled guard is left out,
   * to save its cost. `replaced`: a clock and a network other than the machine's.
   */
  static with(config: Config, extensions: Extensions, replaced: Provider[] = []): DynamicModule {
    const isLimited = config.rateLimit !== undefined;
    const guards = [RecordIdGuard, BearerGuard, ...(isLimited ? [RateLimitGuard] : []), ScopeGuard, ValidationGuard, AdmissionGuard];
    return {
      module: AppModule,
      imports: [CoreModule.with(config, extensions, replaced), ...extensions.modules, SchedulingModule.with(extensions.collections)],
      providers: [...(isLimited ? [RequestCounter] : []), ...guards.map((useClass) => ({ provide: APP_GUARD, useClass }))],
    };
  }
}
