import { applyDecorators, type Type } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { type FieldType, oneOf, timeBeginning, YES_OR_NO } from '../../platform/common/field-types';
import { foldSearchText } from '../../platform/common/fold-text';
import type { Direction } from '../../platform/database/records/selection';
import { rule } from '../../platform/http/input/rules';
import { ASC_OR_DESC, DEFAULT_PAGE_SIZE, PAGE_NUMBER, PAGE_SIZE } from '../../platform/http/list-query';
import type { CollectionQuery, FilterValue, RecordQuery } from '../scheduling-sql';
import { type Collection, orderFields, parameterName, type SearchField, searchFields } from './collection';

/** The DTO of a collection's lists. */
export interface CollectionDto extends Type<{ toQuery(): CollectionQuery }> {
  readonly collection: Collection;
  /** The DTO of a request with the id parameter, with which only `api` may be sent. */
  readonly OneRecord: Type<{ toQuery(): RecordQuery }>;
}

/** A base class for the DTO of a collection, like `listQuery`. Parameters have no capitals, so none can clash with a method. */
export function collectionQuery(collection: Collection): CollectionDto {
  const fields = searchFields(collection);
  const idParameter = parameterName(collection.id);

  class OneRecord {
    toQuery(): RecordQuery {
      return { collection, id: Number(Reflect.get(this, idParameter)) };
    }
  }

  class DefinedQuery {
    static readonly collection = collection;
    static readonly OneRecord = OneRecord;
    page?: number;
    results_per_page?: number;
    orderby = collection.id;
    sort: Direction = 'asc';

    toQuery(): CollectionQuery {
      const { orderby, sort, page, results_per_page: size } = this;
      const filters = new Map<string, FilterValue>();
      for (const { name, type } of fields) {
        const value = (Reflect.get(this, parameterName(name)) as FilterValue | undefined) ?? (type === 'flag' ? true : '');
        if (value !== '') filters.set(name, value);
      }
      const isPaged = page !== undefined || size !== undefined;
      const request = isPaged ? { page: page ?? 1, size: size ?? DEFAULT_PAGE_SIZE } : undefined;
      return { collection, orderby, sort, filters, page: request };
    }
  }

  const api = apiType([collection]);
  const page = { page: PAGE_NUMBER, results_per_page: PAGE_SIZE };
  const filters = Object.fromEntries(fields.map((field) => [parameterName(field.name), filterType(field)]));
  const order = { orderby: orderType(collection), sort: DIRECTION };
  declareParameters(DefinedQuery, { ...page, api, ...filters, ...order }, IsOptional());
  declareParameters(OneRecord, { api, [idParameter]: DIGITS });
  return DefinedQuery;
}

function declareParameters(dto: Type, types: Readonly<Record<string, FieldType<unknown>>>, ...decorators: PropertyDecorator[]): void {
  for (const [name, type] of Object.entries(types))
    applyDecorators(...decorators, rule('isParameter', type)(''))(dto.prototype as object, name);
}

export function apiType(collections: readonly Collection[]): FieldType<string> {
  const names = collections.map(({ name }) => name);
  return oneOf(names, names[0]);
}

/** Parses values that the API defines as no filter to the empty string. */
export function filterType(field: SearchField): FieldType<FilterValue> {
  if (field.type === 'flag') return AVAILABILITY;
  if (field.type === 'time') return TIME_PREFIX;
  const placeholder = field.type === 'related' ? field.placeholder : undefined;
  return {
    expected: 'text',
    schema: { type: 'string', examples: [field.example] },
    parse: (value) => (value === placeholder ? '' : foldSearchText(value)),
  };
}

const AVAILABILITY: FieldType<FilterValue> = {
  expected: `${YES_OR_NO.expected}, or empty for all`,
  schema: { ...YES_OR_NO.schema, enum: [...YES_OR_NO.schema.enum, ''] },
  parse: (value) => (value === '' ? '' : YES_OR_NO.parse(value)),
};

const TIME_PREFIX = timeBeginning(0);

/** Accepts hyphens or underscores; empty means the id. */
function orderType(collection: Collection): FieldType<string> {
  const fields = orderFields(collection);
  return {
    ...oneOf(fields.map(parameterName), parameterName(collection.id)),
    parse: (value) => (value === '' ? collection.id : fields.find((name) => name === value || parameterName(name) === value)),
  };
}

export const DIRECTION: FieldType<Direction> = { ...ASC_OR_DESC, parse: (value) => ASC_OR_DESC.parse(value || 'asc') };

export const DIGITS: FieldType<number> = {
  expected: 'an integer, in digits',
  schema: { type: 'integer', minimum: 0, examples: [7] },
  parse: (value) => (/^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : undefined),
};
