import type { EntityMetadata } from 'typeorm';
import { ConfigError } from '../../config/config';
import { type Collection, type Field, parameterName } from './collection';

type Tables = ReadonlyMap<string, EntityMetadata>;

const NAME = /^[a-z][a-z0-9_]*$/;
/** Parameters that every list takes. */
const RESERVED = ['api', 'orderby', 'sort', 'page', 'results_per_page'];
/** As an entity may write the type of a column. */
const COLUMN_TYPES = { text: ['varchar', String], time: ['varchar', String], flag: ['boolean', Boolean] };
/** A character may become three when case and accents are folded. */
const FOLDED_LENGTH = 3;

/** Holds the definitions to the entities that keep their records, before a request meets a statement that fails. @throws ConfigError */
export function checkDefinitions(collections: readonly Collection[], entities: readonly EntityMetadata[]): void {
  const tables = new Map(entities.map((entity) => [entity.tableName, entity]));
  const problems = collections.flatMap((collection) =>
    [...problemsOf(collection, tables)].map((text) => `Collection ${collection.name}${text}`),
  );
  if (new Set(collections.map(({ name }) => name)).size < collections.length) problems.push('Two collections have one name: rename one.');
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

function* problemsOf(collection: Collection, tables: Tables): Generator<string> {
  const { name, id, fields } = collection;
  const entity = tables.get(name);
  if (!entity) return yield `: no entity has the table ${name}; add it to ormconfig.ts.`;
  for (const column of [id, 'account_id']) if (!hasColumn(entity, column)) yield `: ${lacks(entity, column)}`;
  const names = [id, ...fields.map((field) => field.name)];
  for (const twice of new Set(names.filter((each, index) => names.indexOf(each) < index)))
    yield `, field ${twice}: it is there twice; remove one.`;
  for (const field of fields) {
    for (const problem of fieldProblems(field, collection, tables)) yield `, field ${field.name}: ${problem}`;
  }
}

function* fieldProblems(field: Field, collection: Collection, tables: Tables): Generator<string> {
  if (!NAME.test(field.name)) return yield 'its name takes a-z, 0-9 and underscores; rename it.';
  if (RESERVED.includes(parameterName(field.name))) return yield 'a parameter of every list has this name; rename it.';
  if (field.type === 'related') return yield* relatedProblems(field, collection, tables);
  yield* columnProblems(field, tables.get(collection.name)!);
  if (field.type !== 'reference') return;
  const target = tables.get(field.table);
  if (!target) yield `no entity has the table ${field.table}, to which it refers; correct the table, or add the entity to ormconfig.ts.`;
  else if (!hasColumn(target, field.name)) yield `${lacks(target, field.name)} A reference has the name of the other collection's id.`;
}

function* columnProblems(field: Exclude<Field, { type: 'related' }>, entity: EntityMetadata): Generator<string> {
  const column = columnOf(entity, field.name);
  if (!column) return yield lacks(entity, field.name);
  if (field.type === 'reference') return;
  const types: unknown[] = COLUMN_TYPES[field.type];
  if (!types.includes(column.type)) return yield `a ${field.type} is kept as ${String(types[0])}; correct the entity or the field's type.`;
  if (field.type === 'text') yield* lengthProblems(entity, field.name, field.length);
}

function* lengthProblems(entity: EntityMetadata, name: string, length: number): Generator<string> {
  const needed: [string, number][] = [
    [name, length],
    [`${name}_folded`, FOLDED_LENGTH * length],
  ];
  for (const [column, least] of needed) {
    const found = columnOf(entity, column);
    if (!found) yield lacks(entity, column);
    else if (Number(found.length) < least) yield `the column ${column} holds ${found.length} characters; make it ${least}.`;
  }
}

function* relatedProblems(field: Extract<Field, { type: 'related' }>, { fields }: Collection, tables: Tables): Generator<string> {
  if (!fields.some((other) => other.type === 'reference' && other.table === field.table)) {
    return yield `no field of the collection refers to ${field.table}; add a reference.`;
  }
  const target = tables.get(field.table);
  if (!target) return; // said of the reference
  for (const column of [field.column, `${field.column}_folded`]) if (!hasColumn(target, column)) yield lacks(target, column);
}

function columnOf(entity: EntityMetadata, name: string): EntityMetadata['columns'][number] | undefined {
  return entity.columns.find(({ databaseName }) => databaseName === name);
}

function hasColumn(entity: EntityMetadata, name: string): boolean {
  return columnOf(entity, name) !== undefined;
}

function lacks(entity: EntityMetadata, column: string): string {
  return `the entity ${entity.name} has no column ${column}; add it there and in a migration, or correct the definition.`;
}
