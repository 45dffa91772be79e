import type { DynamicModule, Type } from '@nestjs/common';
import type { Command } from 'commander';
import type { MigrationInterface } from 'typeorm';
import { Clock } from '../common/clock';
import type { RecordColumns } from '../common/records';
import type { Collection } from '../../scheduling/collections/collection';

/** All that an extension adds to the service, the command line, the schema and the tests. */
export interface Extension {
  /** Lowercase letters, digits and hyphens. */
  name: string;
  modules?: readonly (Type | DynamicModule)[];
  entities?: readonly Type[];
  /** Each class is named `<Name><timestamp>`; the timestamp is when it was written, in milliseconds since 1970 (13 digits). */
  migrations?: readonly Type<MigrationInterface>[];
  /** Collections that `GET /scheduling` serves by the value of `api`. */
  collections?: readonly Collection[];
  /** Tables that `frontdesk import` and `export` accept, in addition to the collections. */
  importable?: readonly RecordColumns[];
  /** Factories of `frontdesk` commands, called once per invocation. */
  commands?: readonly (() => Command)[];
  /** Classes with `@Job` methods. They may inject what `modules` export. */
  jobs?: readonly Type[];
  /** For the tests that cover every route. */
  tests?: ExtensionTests;
}

export interface ExtensionTests {
  /** Keyed by path, such as `/api/coupons`. Each call returns a form that creates a record, with new unique values. */
  forms?: Readonly<Record<string, () => Record<string, string>>>;
}

const LIST_KEYS: (keyof Extension)[] = ['modules', 'entities', 'migrations', 'collections', 'importable', 'commands', 'jobs'];
const ALLOWED_KEYS: (keyof Extension)[] = ['name', ...LIST_KEYS, 'tests'];

/** Declares an extension, the default export of its package. @throws TypeError naming the problem */
export function defineExtension(extension: Extension): Extension {
  const problem = findProblem(extension);
  if (problem) throw new TypeError(problem);
  return extension;
}

/** An error message; undefined for a valid extension. Needed at run time because packages written in JavaScript are not type-checked. */
export function findProblem(extension: unknown): string | undefined {
  if (typeof extension !== 'object' || extension === null) return 'An extension must be the object that defineExtension() returns.';
  const { name } = extension as Extension;
  if (name === undefined) return 'An extension needs a name: export what defineExtension({ name, … }) returns as the default.';
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    return 'The name of an extension must be 1 to 64 lowercase letters, digits and hyphens, and begin with a letter.';
  }
  const unknownKey = Object.keys(extension).find((key) => !ALLOWED_KEYS.some((known) => known === key));
  if (unknownKey !== undefined) return `${unknownKey} is not a property of an extension; allowed: ${ALLOWED_KEYS.join(', ')}.`;
  const properties = extension as Partial<Record<string, unknown>>;
  const nonArray = LIST_KEYS.find((key) => properties[key] !== undefined && !Array.isArray(properties[key]));
  if (nonArray) return `${nonArray} must be an array.`;
  for (const { name: migration } of (extension as Extension).migrations ?? []) {
    if (!/\D\d{13}$/.test(migration))
      return `The name of the migration ${migration} must end with 13 digits, the time it was written in milliseconds: CreateCoupons${new Clock().now()}.`;
  }
  return undefined;
}
