import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { Clock } from './clock';
import { Network } from './network';

@Global()
@Module({
  providers: [Clock, Network],
  exports: [Clock, Network],
})
export class CommonModule {
  /** Replaces providers of this module: a dynamic module's come after the class's. */
  static with(replaced: Provider[]): DynamicModule {
    return { module: CommonModule, providers: replaced };
  }
}
