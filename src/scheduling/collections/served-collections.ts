import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityMetadata } from 'typeorm';
import { ConfigError } from '../../platform/config/config';
import { Extensions } from '../../platform/extensions/extensions';
import { type Collection, type Field, parameterName } from './collection';
import { COLLECTIONS } from './collections';

/** The values of `api`: the service's collections, then those of extensions. */
@Injectable()
export class ServedCollections implements OnModuleInit {
  readonly list: readonly Collection[];

  constructor(
    { collections }: Extensions,
    private readonly dataSource: DataSource,
  ) {
    this.list = [...COLLECTIONS, ...collections];
  }

  onModuleInit(): void {
    checkDefinitions(this.list, this.dataSource.entityMetadatas);
  }

  find(name: unknown): Collection | undefined {
    return this.list.find((collection) => collection.name === name);
  }
}

interface RequiredColumn {
  table: string;
  column: string;
  type?: keyof typeof COLUMN_TYPES;
  length?: number;
}

const NAME = /^[a-z][a-z0-9_]*$/;
const LIST_PARAMETERS = ['api', 'orderby', 'sort', 'page', 'results_per_page'];
/** The two ways an entity can declare each column type. */
const COLUMN_TYPES = { varchar: ['varchar', String], boolean: ['boolean', Boolean] };
/** Folding case and accents may turn a character into three. */
const FOLDED_LENGTH = 3;

/** Checks the definitions against their entities, so that a mismatch prevents startup. @throws ConfigError */
export function checkDefinitions(collections: readonly Collection[], entities: readonly EntityMetadata[]): void {
  const problems = collections.flatMap((collection) =>
    problemsOf(collection, entities).map((problem) => `Collection ${collection.name}${problem}`),
  );
  const names = collections.map(({ name }) => name);
  const double = names.find((name, index) => names.indexOf(name) < index);
  if (double) problems.push(`Two collections have the name ${double}; rename one.`);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

function problemsOf({ name: table, id, fields }: Collection, entities: readonly EntityMetadata[]): string[] {
  const problemsIn = (columns: RequiredColumn[]) => columns.flatMap((column) => columnProblem(column, entities) ?? []);
  const own = problemsIn(['account_id', id].map((column) => ({ table, column })));
  if (own.length > 0) return [`: ${own[0]}`];
  const names = [id, ...fields.map(({ name }) => name)];
  return fields.flatMap((field, index) => {
    const problem = names.indexOf(field.name) <= index ? 'defined twice; remove one.' : nameProblem(field, fields);
    const problems = problem ? [problem] : problemsIn(requiredColumns(field, table));
    return problems.map((text) => `, field ${field.name}: ${text}`);
  });
}

function nameProblem(field: Field, fields: readonly Field[]): string | undefined {
  if (!NAME.test(field.name)) return 'its name may contain only a-z, 0-9 and underscores; rename it.';
  if (LIST_PARAMETERS.includes(parameterName(field.name))) return 'every list has a parameter with this name; rename it.';
  if (field.type !== 'related' || fields.some((other) => other.type === 'reference' && other.table === field.table)) return undefined;
  return `no field of the collection refers to ${field.table}; add a reference.`;
}

function requiredColumns(field: Field, table: string): RequiredColumn[] {
  const { type, name: column } = field;
  if (type === 'time') return [{ table, column, type: 'varchar' }];
  if (type === 'flag') return [{ table, column, type: 'boolean' }];
  if (type === 'reference') return [table, field.table].map((each) => ({ table: each, column }));
  if (type === 'related') return [field.column, `${field.column}_folded`].map((each) => ({ table: field.table, column: each }));
  const folded: RequiredColumn = { table, column: `${column}_folded`, type: 'varchar', length: FOLDED_LENGTH * field.length };
  return [{ table, column, type: 'varchar', length: field.length }, folded];
}

function columnProblem({ table, column, type, length = 0 }: RequiredColumn, entities: readonly EntityMetadata[]): string | undefined {
  const entity = entities.find(({ tableName }) => tableName === table);
  if (!entity) return `no entity has the table ${table}; correct the name, or add the entity to its area or extension.`;
  const found = entity.findColumnWithDatabaseName(column);
  if (!found) return `the entity ${entity.name} has no column ${column}; add it there and in a migration, or correct the definition.`;
  if (type && !COLUMN_TYPES[type].some((each) => each === found.type)) return `the column ${column} must be ${type}.`;
  return Number(found.length) < length ? `the column ${column} holds ${found.length} characters; make it ${length}.` : undefined;
}
