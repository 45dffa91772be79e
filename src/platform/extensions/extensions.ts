import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { Collection } from '../../scheduling/collections/collection';
import type { RecordColumns } from '../common/records';
import { ConfigError } from '../config/config';
import type { Extension } from './extension';
import { loadExtension } from './load-extension';

/** Everything that the extensions add to the service. */
export class Extensions {
  /** @throws ConfigError when two have the same name */
  constructor(readonly list: readonly Extension[] = []) {
    const names = list.map(({ name }) => name);
    const double = names.find((name, index) => names.indexOf(name) < index);
    if (double) throw new ConfigError(`EXTENSIONS: Two extensions both claim the name ${double}: rename one.`);
  }

  /** @throws ConfigError when one of the named packages or folders can't be loaded, and as the constructor does */
  static load(names: readonly string[], more: readonly Extension[] = []): Extensions {
    return new Extensions([...names.map(loadExtension), ...more]);
  }

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

  /** Tables that can be imported and exported, besides the collections. */
  get importable(): RecordColumns[] {
    return this.list.flatMap(({ importable = [] }) => importable);
  }
}

/** What the service and each extension claim for themselves. */
export class Claims {
  private readonly owners = new Map<string, string>();
  private readonly problems = new Set<string>();

  /** `owner`: an extension's name; by default, the service. */
  add(claimed: string, owner = 'the service'): void {
    const other = this.owners.get(claimed);
    if (other === undefined) this.owners.set(claimed, owner);
    else if (other !== owner) this.problems.add(`EXTENSIONS: ${other} and ${owner} both claim the ${claimed}: rename one.`);
  }

  /** @throws ConfigError naming everything that two of them claim */
  check(): void {
    if (this.problems.size > 0) throw new ConfigError([...this.problems].join('\n'));
  }
}

/** A separate module, so that jobs can inject what the extension's modules export. */
function jobsModule(modules: readonly (Type | DynamicModule)[], jobs: readonly Type[]): DynamicModule {
  return { module: class Jobs {}, imports: [...modules], providers: [...jobs] };
}
