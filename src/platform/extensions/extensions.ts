import type { DynamicModule, Type } from '@nestjs/common';
import { getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import type { RecordColumns } from '../common/records';
import { ConfigError } from '../config/config';
import { type Collection, schedulingColumns } from '../../scheduling/collections/collection';
import type { Extension } from './extension';
import { loadExtension } from './load-extension';

/** The service's own areas and the added extensions, as one list. */
export class Extensions {
  readonly list: readonly Extension[];

  /** @throws ConfigError naming extensions that claim the same name, table, collection or migration number */
  constructor(
    areas: readonly Extension[],
    /** Without the service's own areas. */
    readonly added: readonly Extension[] = [],
  ) {
    this.list = [...areas, ...added];
    const problems = [...this.doubles('name', ({ name }) => [name]), ...this.doubles('table', tablesOf)];
    problems.push(...this.doubles('collection', ({ collections = [] }) => collections.map(({ name }) => name)));
    problems.push(...this.doubles('migration number', ({ migrations = [] }) => migrations.map(({ name }) => name.slice(-13))));
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  }

  /** @throws ConfigError when one of the named packages or folders can't be loaded, and as the constructor does */
  static load(areas: readonly Extension[], names: readonly string[], more: readonly Extension[] = []): Extensions {
    return new Extensions(areas, [...names.map(loadExtension), ...more]);
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

  /** Tables and collections that can be imported and exported. */
  get importable(): RecordColumns[] {
    return [...this.list.flatMap(({ importable = [] }) => importable), ...this.collections.map(schedulingColumns)];
  }

  private doubles(noun: string, read: (extension: Extension) => string[]): string[] {
    const owners = new Map<string, string>();
    return this.list.flatMap((extension) =>
      read(extension).flatMap((claimed) => {
        const owner = owners.get(claimed);
        owners.set(claimed, extension.name);
        if (owner === undefined) return [];
        const who = noun === 'name' || owner === extension.name ? 'Two extensions' : `${owner} and ${extension.name}`;
        return `EXTENSIONS: ${who} both claim the ${noun} ${claimed}: rename one.`;
      }),
    );
  }
}

export function tablesOf({ entities = [] }: Extension): string[] {
  return getMetadataArgsStorage()
    .filterTables([...entities])
    .flatMap(({ name }) => name ?? []);
}

/** A separate module, so that jobs can inject what the extension's modules export. */
function jobsModule(modules: readonly (Type | DynamicModule)[], jobs: readonly Type[]): DynamicModule {
  return { module: class Jobs {}, imports: [...modules], providers: [...jobs] };
}
