import { Injectable } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject, type ParameterObject, type SchemaObject } from '@nestjs/swagger';
import { type FieldType, oneOf } from '../platform/common/field-types';
import { PAGE_NUMBER, PAGE_SIZE } from '../platform/http/list-query';
import { PageLinks, PageMeta } from '../platform/http/page.dto';
import { TIME_SCHEMA } from '../platform/http/record-fields';
import { type Collection, type Field, orderFields, parameterName, type SearchField, searchFields } from './collections/collection';
import { apiType, DIGITS, DIRECTION, filterType } from './collections/collection-query.dto';
import { ServedCollections } from './collections/served-collections';

/** Documents the parameters and the records of every collection, those of extensions included. */
@Injectable()
export class SchedulingDocument {
  constructor(private readonly collections: ServedCollections) {}

  describe({ paths, components }: OpenAPIObject): void {
    const { list } = this.collections;
    const operation = paths['/scheduling'].get!;
    operation.parameters = [...parametersOf(list), ...(operation.parameters ?? [])];
    const records = list.map((collection): [string, SchemaObject] => [recordName(collection), recordSchema(collection)]);
    Object.assign(components!.schemas!, Object.fromEntries(records));
    const description = 'Every record of the list, one page of it, or the record with the given id.';
    const schema = { anyOf: records.flatMap(([name]) => responsesOf(name)) };
    operation.responses['200'] = { description, content: { 'application/json': { schema } } };
  }
}

/** Each parameter once, with the collections that accept it. */
function parametersOf(collections: readonly Collection[]): ParameterObject[] {
  const orders = new Set(collections.flatMap(orderFields).map(parameterName));
  const parameters = collections.flatMap((collection) => [
    ...searchFields(collection).map((field) => ({
      name: parameterName(field.name),
      type: filterType(field),
      collection,
      description: defaultOf(field),
    })),
    { name: parameterName(collection.id), type: DIGITS, collection, description: 'id of a single record' },
  ]);
  const names = [...new Set(parameters.map(({ name }) => name))];
  return [
    parameter('api', apiType(collections), 'Collection.', true),
    ...names.map((name) => {
      const sharing = parameters.filter((each) => each.name === name);
      const accepting = sharing.map(({ collection }) => collection.name).join(', ');
      return parameter(name, sharing[0].type, `For ${accepting}: ${sharing[0].description}.`);
    }),
    parameter('orderby', oneOf([...orders], 'nome'), "Field to order by, one of the collection's own; the default is its id."),
    parameter('sort', DIRECTION, 'Sort direction; the default is asc.'),
    parameter('page', PAGE_NUMBER, 'Page number, counted from 1.'),
    parameter('results_per_page', PAGE_SIZE, 'Records per page.'),
  ];
}

function defaultOf(field: SearchField): string {
  if (field.type === 'flag') return 'filter; the default is Sim';
  return field.type === 'related' && field.placeholder ? `filter; the default is ${field.placeholder}` : 'filter';
}

function parameter(name: string, { expected, schema }: FieldType<unknown>, description: string, required = false): ParameterObject {
  return {
    name,
    required,
    in: 'query',
    description: `${description} Must be ${expected}.`,
    schema: structuredClone(schema) as SchemaObject,
  };
}

function recordName({ name }: Collection): string {
  return `${name[0].toUpperCase()}${name.slice(1)}Record`;
}

function recordSchema({ id, fields }: Collection): SchemaObject {
  const properties = Object.fromEntries([
    [id, { type: 'integer', examples: [7] }],
    ...fields.map((field) => [field.name, fieldSchema(field)] as const),
  ]);
  return { type: 'object', properties, required: Object.keys(properties) };
}

function fieldSchema(field: Field): object {
  if (field.type === 'flag') return { type: 'boolean', examples: [true] };
  if (field.type === 'reference') return { type: 'integer', examples: [3], description: `Id of a record of ${field.table}.` };
  if (field.type === 'time') return { ...TIME_SCHEMA, examples: ['2026-11-21 14:05:09'], description: 'In UTC.' };
  return { type: 'string', examples: [field.example] };
}

function responsesOf(name: string) {
  const one = { $ref: getSchemaPath(name) };
  const data = { type: 'array', items: one };
  const page = { data, meta: { $ref: getSchemaPath(PageMeta) }, links: { $ref: getSchemaPath(PageLinks) } };
  return [objectSchema({ data }), objectSchema(page), objectSchema({ data: one })];
}

function objectSchema(properties: Record<string, object>) {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
