import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Differences } from '../bootstrap/application';

type Token = Type | (abstract new (...given: never[]) => unknown) | string | symbol;

/** A provider in place of another, as `overrideProvider` of @nestjs/testing has it. */
export type Override = { provide: Token } & ({ useValue: unknown } | { useClass: Type } | { useFactory: () => unknown });

/** Builds applications with @nestjs/testing, which only overrides need. @throws Error when it isn't installed */
export async function createWith(overrides: readonly Override[]): Promise<NonNullable<Differences['create']>> {
  const { Test } = await import('@nestjs/testing').catch((cause: unknown) => {
    throw new Error('overrides need the package @nestjs/testing: npm install --save-dev @nestjs/testing', { cause });
  });
  return async (module, adapter, options) => {
    const builder = Test.createTestingModule({ imports: [module as Type] });
    for (const { provide, ...provider } of overrides) {
      const override = builder.overrideProvider(provide);
      if ('useValue' in provider) override.useValue(provider.useValue);
      else if ('useClass' in provider) override.useClass(provider.useClass);
      else override.useFactory({ factory: provider.useFactory });
    }
    const compiled = await builder.compile();
    return compiled.createNestApplication<NestExpressApplication>(adapter as never, options);
  };
}
