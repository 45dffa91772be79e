import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AppliedExtensions } from './applied-extensions';
import { Extensions } from './extensions';

@Global()
@Module({})
export class ExtensionsModule {
  static with(extensions: Extensions): DynamicModule {
    const providers = [{ provide: Extensions, useValue: extensions }, AppliedExtensions];
    return { module: ExtensionsModule, providers, exports: [Extensions, AppliedExtensions] };
  }
}
