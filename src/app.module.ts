import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AdmissionInterceptor } from './platform/quotas/admission.interceptor';
import { BearerGuard, ScopeGuard } from './auth/caller';
import type { Config } from './platform/config/config';
import { DatabaseModule } from './platform/database/database.module';
import type { Extensions } from './platform/extensions/extensions';
import { CoreModule } from './platform/core.module';
import { ErrorFilter } from './platform/http/error.filter';
import { BodyInterceptor } from './platform/http/input/body.interceptor';
import { InputPipe } from './platform/http/input/input.pipe';
import { limitMulter } from './platform/http/input/uploads';
import { RateLimitGuard, RequestCounter } from './platform/quotas/rate-limit.guard';
import { SchedulingModule } from './scheduling/scheduling.module';

@Module({
  imports: [limitMulter(), DatabaseModule],
  // Interceptors run in this order, after the guards and before the pipe.
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: AdmissionInterceptor },
    { provide: APP_PIPE, useClass: InputPipe },
  ],
})
export class AppModule {
  /**
   * Adds the areas (`extensions` includes the service's own) and the global guards, in the order they run. A disabled guard is left out,
   * to save its cost. `replaced`: a clock and a network other than the machine's.
   */
  static with(config: Config, extensions: Extensions, replaced: Provider[] = []): DynamicModule {
    const isLimited = config.rateLimit !== undefined;
    const guards = [BearerGuard, ...(isLimited ? [RateLimitGuard] : []), ScopeGuard];
    return {
      module: AppModule,
      imports: [CoreModule.with(config, extensions, replaced), ...extensions.modules, SchedulingModule.with(extensions.collections)],
      providers: [...(isLimited ? [RequestCounter] : []), ...guards.map((useClass) => ({ provide: APP_GUARD, useClass }))],
    };
  }
}
