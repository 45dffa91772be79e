import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import type { FieldType } from '../../common/field-types';
import { PAGE_NUMBER, PAGE_SIZE } from '../../http/pagination/page-query';
import { PageLinks, PageMeta } from '../../http/pagination/page-envelope';
import { RecordField, TimeField } from '../../http/openapi/record-schema';
import { ApiIfNoneMatch, Refuses } from '../../http/openapi/routes';
import { type Collection, type Field, parameterName, searchFields } from '../collections/collection';
import { COLLECTIONS } from '../collections/collections';
import { API } from './scheduling-query';
import { DIGITS, DIRECTION, filterOf, orderType } from './search-types';

/** Documents `GET /scheduling`: every collection's parameters and answers, made of the definitions. */
export function DocumentedScheduling(): MethodDecorator {
  const records = COLLECTIONS.map(recordClass);
  return applyDecorators(
    ApiOperation({ summary: 'Read scheduling records', description: DESCRIPTION }),
    ...documentedParameters().map(({ name, fieldType, description, required }) =>
      ApiQuery({ name, required, description: `${description} Must be ${fieldType.expected}.`, schema: schemaOf(fieldType) }),
    ),
    ApiExtraModels(...records, PageMeta, PageLinks),
    ApiOkResponse({
      description: 'Every record of the list; or one page of it, or the one record that the id names.',
      schema: { anyOf: records.flatMap(answersOf) },
    }),
    ApiIfNoneMatch(),
    Refuses('not_found'),
  );
}

const DESCRIPTION = `A list has every record of the collection that the filters let pass, unless \`page\` or \`results_per_page\` asks for one page of it.
With the id parameter of its collection, the answer is a single record, and no other parameter is taken.`;

interface DocumentedParameter {
  name: string;
  fieldType: FieldType<unknown>;
  description: string;
  required: boolean;
}

/** Every parameter once, with the collections that take it. */
function documentedParameters(): DocumentedParameter[] {
  const parameters = COLLECTIONS.flatMap((collection) => [
    ...searchFields(collection).map((field) => filterParameter(collection, field)),
    { name: parameterName(collection.id), fieldType: DIGITS, what: 'id of a single record', of: collection.name },
  ]);
  const names = [...new Set(parameters.map(({ name }) => name))];
  const sharing = names.map((name) => parameters.filter((parameter) => parameter.name === name));
  return [
    { name: 'api', fieldType: API, description: 'Collection.', required: true },
    ...sharing.map((group) => ({
      name: group[0].name,
      fieldType: group[0].fieldType,
      description: `Of ${group.map(({ of }) => of).join(', ')}: ${group[0].what}.`,
      required: false,
    })),
    {
      name: 'orderby',
      fieldType: ANY_ORDER,
      description: 'Of every collection, one of its own fields; the default is its id.',
      required: false,
    },
    { name: 'sort', fieldType: DIRECTION, description: 'Direction of the order; the default is asc.', required: false },
    { name: 'page', fieldType: PAGE_NUMBER, description: 'Page number, counted from 1.', required: false },
    { name: 'results_per_page', fieldType: PAGE_SIZE, description: 'Records on a page.', required: false },
  ];
}

function filterParameter(collection: Collection, field: Exclude<Field, { type: 'reference' }>) {
  const { fieldType, shownFallback } = filterOf(field);
  const what = `filter${shownFallback ? `, by default ${shownFallback}` : ''}`;
  return { name: parameterName(field.name), fieldType, what, of: collection.name };
}

const ORDERS = [...new Set(COLLECTIONS.flatMap((collection) => orderType(collection).schema.enum ?? []))];
const ANY_ORDER: FieldType<unknown> = {
  expected: `one of ${ORDERS.join(', ')}`,
  schema: { type: 'string', enum: ORDERS, examples: ['nome'] },
  parse: (value) => value,
};

function schemaOf({ schema }: FieldType<unknown>) {
  return { ...schema, enum: schema.enum && [...schema.enum], examples: [...schema.examples] };
}

/** A class, for that is what the document's components are made of. */
function recordClass(collection: Collection): Type {
  const name = `${collection.name[0].toUpperCase()}${collection.name.slice(1)}Record`;
  const record = { [name]: class {} }[name];
  RecordField('integer', 7)(record.prototype, collection.id);
  for (const field of collection.fields) fieldDecorator(field)(record.prototype, field.name);
  return record;
}

function fieldDecorator(field: Field): PropertyDecorator {
  if (field.type === 'flag') return RecordField('boolean', true);
  if (field.type === 'reference') return RecordField('integer', 3, `Id of a record of ${field.table}.`);
  if (field.type === 'time') return TimeField('In UTC.');
  return RecordField('string', field.example);
}

function answersOf(record: Type) {
  const one = { $ref: getSchemaPath(record) };
  const data = { type: 'array', items: one };
  const page = { data, meta: { $ref: getSchemaPath(PageMeta) }, links: { $ref: getSchemaPath(PageLinks) } };
  return [objectOf({ data }), objectOf(page), objectOf({ data: one })];
}

function objectOf(properties: Record<string, object>) {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
