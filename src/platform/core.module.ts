import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { Clock } from './common/clock';
import { Network } from './common/network';
import { Config } from './config/config';
import { Extensions } from './extensions/extensions';

/** Providers that any module may inject: clock, network, configuration and extensions. */
@Global()
@Module({})
export class CoreModule {
  /** `overrides`: the sandbox's clock and network. */
  static forRoot(config: Config, extensions: Extensions, overrides: Provider[] = []): DynamicModule {
    const valueProviders = [
      { provide: Config, useValue: config },
      { provide: Extensions, useValue: extensions },
    ];
    const exports = [Clock, Network, Config, Extensions];
    return { module: CoreModule, providers: [Clock, Network, ...valueProviders, ...overrides], exports }; // the last provider wins
  }
}
