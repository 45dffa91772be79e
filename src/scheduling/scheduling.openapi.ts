import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { type FieldType, oneOf } from '../platform/common/field-types';
import { PAGE_NUMBER, PAGE_SIZE, PageLinks, PageMeta } from '../platform/http/pagination';
import { RecordField, TimeField } from '../platform/http/record-fields';
import { ApiIfNoneMatch, Refuses } from '../platform/http/routes';
import { type Collection, type Field, parameterName, searchFields } from './collections/collection';
import { apiType, DIGITS, DIRECTION, filterOf, orderFields } from './scheduling-query';

/** Documents the parameters and responses of every collection. */
export function DocumentedScheduling(collections: readonly Collection[]): MethodDecorator {
  const records = collections.map(recordClass);
  return applyDecorators(
    ApiOperation({ summary: 'Read scheduling records', description: DESCRIPTION }),
    ...documentedParameters(collections),
    ApiExtraModels(...records, PageMeta, PageLinks),
    ApiOkResponse({
      description: 'Every record of the list, one page of it, or the record with the given id.',
      schema: { anyOf: records.flatMap(responsesOf) },
    }),
    ApiIfNoneMatch(),
    Refuses('not_found'),
  );
}

const DESCRIPTION = `Returns every record that matches the filters, or one page when \`page\` or \`results_per_page\` is given.
With the collection's id parameter, returns that record; only \`api\` may be sent with it.`;

/** Documents each parameter once, with the collections that accept it. */
function documentedParameters(collections: readonly Collection[]): MethodDecorator[] {
  const orders = new Set(collections.flatMap(orderFields).map(parameterName));
  const parameters = collections.flatMap((collection) => [
    ...searchFields(collection).map((field) => ({ name: parameterName(field.name), ...filterOf(field), collection })),
    { name: parameterName(collection.id), fieldType: DIGITS, description: 'id of a single record', collection },
  ]);
  const names = [...new Set(parameters.map(({ name }) => name))];
  return [
    documented('api', apiType(collections), 'Collection.', true),
    ...names.map((name) => {
      const sharing = parameters.filter((parameter) => parameter.name === name);
      const accepting = sharing.map(({ collection }) => collection.name).join(', ');
      return documented(name, sharing[0].fieldType, `For ${accepting}: ${sharing[0].description}.`);
    }),
    documented('orderby', oneOf([...orders], 'nome'), "Field to order by, one of the collection's own; the default is its id."),
    documented('sort', DIRECTION, 'Sort direction; the default is asc.'),
    documented('page', PAGE_NUMBER, 'Page number, counted from 1.'),
    documented('results_per_page', PAGE_SIZE, 'Records per page.'),
  ];
}

function documented(name: string, { expected, schema }: FieldType<unknown>, description: string, required = false): MethodDecorator {
  const copy = { ...schema, enum: schema.enum && [...schema.enum], examples: [...schema.examples] };
  return ApiQuery({ name, required, description: `${description} Must be ${expected}.`, schema: copy });
}

/** Makes a class for a collection's records, because @nestjs/swagger generates components from classes. */
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

function responsesOf(record: Type) {
  const one = { $ref: getSchemaPath(record) };
  const data = { type: 'array', items: one };
  const page = { data, meta: { $ref: getSchemaPath(PageMeta) }, links: { $ref: getSchemaPath(PageLinks) } };
  return [objectOf({ data }), objectOf(page), objectOf({ data: one })];
}

function objectOf(properties: Record<string, object>) {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
