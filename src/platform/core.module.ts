import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock } from './common/clock';
import { Network } from './common/network';
import { Config } from './config/config';
import { AppliedExtension, AppliedExtensions } from './extensions/applied-extensions';
import { Extensions } from './extensions/extensions';

/** Providers that any module may inject: clock, network, configuration and extensions. */
@Global()
@Module({ imports: [TypeOrmModule.forFeature([AppliedExtension])] })
export class CoreModule {
  /** `replaced`: a clock and a network other than the machine's. */
  static with(config: Config, extensions: Extensions, replaced: Provider[] = []): DynamicModule {
    const given = [
      { provide: Config, useValue: config },
      { provide: Extensions, useValue: extensions },
    ];
    const exports = [Clock, Network, Config, Extensions, AppliedExtensions];
    return { module: CoreModule, providers: [Clock, Network, ...given, AppliedExtensions, ...replaced], exports }; // the last provider wins
  }
}
