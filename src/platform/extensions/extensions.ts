import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { Collection } from '../../scheduling/collections/collection';
import type { RecordColumns } from '../common/records';
import type { Extension } from './extension';

/** Everything that the extensions add to the service. */
export class Extensions {
  constructor(readonly list: readonly Extension[] = []) {}

  get modules(): (Type | DynamicModule)[] {
    return this.list.flatMap(({ modules = [], jobs }) => [...modules, ...(jobs ? [jobsModule(modules, jobs)] : [])]);
  }

  get entities(): Type[] {
    return this.list.flatMap(({ entities = [] }) => entities);
  }

  get migrations(): Type<MigrationInterface>[] {
    return this.list.flatMap(({ migrations = [] }) => migrations);
  }

  get collections(): Collection[] {
    return this.list.flatMap(({ collections = [] }) => collections);
  }

  /** Tables that can be imported and exported, in addition to the collections. */
  get importable(): RecordColumns[] {
    return this.list.flatMap(({ importable = [] }) => importable);
  }
}

/** A separate module, so that jobs can inject what the extension's modules export. */
function jobsModule(modules: readonly (Type | DynamicModule)[], jobs: readonly Type[]): DynamicModule {
  return { module: class Jobs {}, imports: [...modules], providers: [...jobs] };
}
