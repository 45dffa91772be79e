import type { PipeTransform, Type } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { type FieldType, oneOf, timeBeginning, YES_OR_NO } from '../platform/common/field-types';
import { foldPart } from '../platform/common/fold-text';
import type { PageRequest } from '../platform/common/records';
import type { Direction } from '../platform/database/records/selection';
import { RequestError } from '../platform/http/request-error';
import { InputPipe } from '../platform/http/input/input.pipe';
import { rule } from '../platform/http/input/rules';
import { ASC_OR_DESC, DEFAULT_PAGE_SIZE, PageNumber, PageSize } from '../platform/http/pagination';
import { type Collection, parameterName, type SearchField, searchFields } from './collections/collection';

/** A filter value that matches every record. */
const ANY = Symbol('any');

type FilterValue = string | boolean;

interface FilterParameter {
  fieldType: FieldType<FilterValue | typeof ANY>;
  fallback: FilterValue | typeof ANY;
  description: string;
}

export function filterOf(field: SearchField): FilterParameter {
  if (field.type === 'flag') return { fieldType: AVAILABILITY, fallback: true, description: 'filter; the default is Sim' };
  if (field.type === 'time') return { fieldType: TIME_PREFIX, fallback: ANY, description: 'filter' };
  const placeholder = field.type === 'related' ? field.placeholder : undefined;
  const description = placeholder ? `filter; the default is ${placeholder}` : 'filter';
  return { fieldType: containedText(field.example, placeholder), fallback: ANY, description };
}

function containedText(example: string, placeholder?: string): FilterParameter['fieldType'] {
  return {
    expected: 'text',
    schema: { type: 'string', examples: [example] },
    parse: (value) => (value === '' || value === placeholder ? ANY : foldPart(value)),
  };
}

const AVAILABILITY: FilterParameter['fieldType'] = {
  expected: `${YES_OR_NO.expected}, or empty for all`,
  schema: { ...YES_OR_NO.schema, enum: [...YES_OR_NO.schema.enum, ''] },
  parse: (value) => (value === '' ? ANY : YES_OR_NO.parse(value)),
};

const BEGINNING = timeBeginning(0);

const TIME_PREFIX: FilterParameter['fieldType'] = { ...BEGINNING, parse: (value) => (value === '' ? ANY : BEGINNING.parse(value)) };

export function orderFields(collection: Collection): string[] {
  return [collection.id, ...searchFields(collection).map(({ name }) => name)];
}

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

export function apiType(collections: readonly Collection[]): FieldType<string> {
  const names = collections.map(({ name }) => name);
  return oneOf(names, names[0]);
}

export interface RecordQuery {
  collection: Collection;
  id: number;
}

export interface CollectionQuery {
  collection: Collection;
  orderby: string;
  sort: Direction;
  /** Keyed by field name. */
  filters: Map<string, FilterValue>;
  /** No `page` means every record. */
  page?: PageRequest;
}

export interface SchedulingQuery {
  readonly parsed: RecordQuery | CollectionQuery;
}

/** Checks the query against the DTO that `queryChooser` chooses. */
export class SchedulingQueryPipe implements PipeTransform {
  private readonly choose: ReturnType<typeof queryChooser>;
  private readonly input = new InputPipe();

  constructor(collections: readonly Collection[]) {
    this.choose = queryChooser(collections);
  }

  transform(raw: Readonly<Record<string, unknown>>): unknown {
    return this.input.transform(raw, { type: 'query', metatype: this.choose(raw) });
  }
}

/**
 * Chooses the DTO by `api`, and by whether the collection's id parameter is present. The returned function throws a RequestError when
 * `api` is missing or unknown.
 */
export function queryChooser(collections: readonly Collection[]): (raw: Readonly<Record<string, unknown>>) => Type<SchedulingQuery> {
  const api = apiType(collections);
  const dtos = new Map<unknown, QueryClasses>(collections.map((collection) => [collection.name, queryClassesOf(collection)]));
  return (raw) => {
    const found = dtos.get(raw.api);
    if (!found) throw refuseApi(raw.api, api);
    return found.idName in raw ? found.record : found.list;
  };
}

interface QueryClasses {
  idName: string;
  record: Type<SchedulingQuery>;
  list: Type<SchedulingQuery>;
}

/** Shared by the process's applications, because class-validator keeps every decorated class for good. */
const CLASSES = new WeakMap<Collection, QueryClasses>();

function queryClassesOf(collection: Collection): QueryClasses {
  const known = CLASSES.get(collection);
  if (known) return known;
  const api = apiType([collection]);
  const classes = {
    idName: parameterName(collection.id),
    record: recordQueryClass(collection, api),
    list: listQueryClass(collection, api),
  };
  CLASSES.set(collection, classes);
  return classes;
}

function refuseApi(value: unknown, { expected }: FieldType<string>): RequestError {
  const source = { in: 'query', name: 'api' } as const;
  if (value === undefined || value === '') return RequestError.of('missing_parameter', `api is required: ${expected}.`, source);
  const accepted = Array.isArray(value) ? 'given once' : expected;
  return RequestError.of('invalid_parameter', `api must be ${accepted}.`, source);
}

function recordQueryClass(collection: Collection, api: FieldType<string>): Type<SchedulingQuery> {
  const idName = parameterName(collection.id);

  class CollectionRecordQuery implements SchedulingQuery {
    get parsed(): RecordQuery {
      return { collection, id: (this as unknown as Record<string, number>)[idName] };
    }
  }
  rule('isApi', api)('Collection.')(CollectionRecordQuery.prototype, 'api');
  rule('isDigits', DIGITS)('Id of the record.')(CollectionRecordQuery.prototype, idName);
  return CollectionRecordQuery;
}

function listQueryClass(collection: Collection, api: FieldType<string>): Type<SchedulingQuery> {
  const fields = searchFields(collection);

  class CollectionListQuery implements SchedulingQuery {
    sort: Direction = 'asc';
    orderby: string = collection.id;

    @PageNumber()
    page?: number;

    @PageSize()
    results_per_page?: number;

    get parsed(): CollectionQuery {
      const given = this as unknown as Partial<Record<string, FilterValue | typeof ANY>>;
      const filters = new Map<string, FilterValue>();
      for (const field of fields) {
        const value = given[parameterName(field.name)] ?? filterOf(field).fallback;
        if (value !== ANY) filters.set(field.name, value);
      }
      const { orderby, sort, page, results_per_page } = this;
      const isPaged = page !== undefined || results_per_page !== undefined;
      const pageRequest = isPaged ? { page: page ?? 1, size: results_per_page ?? DEFAULT_PAGE_SIZE } : undefined;
      return { collection, orderby, sort, filters, page: pageRequest };
    }
  }
  const declare = (name: string, fieldType: FieldType<unknown>, description: string) => {
    IsOptional()(CollectionListQuery.prototype, name);
    rule('isParameter', fieldType)(description)(CollectionListQuery.prototype, name);
  };
  rule('isApi', api)('Collection.')(CollectionListQuery.prototype, 'api');
  for (const field of fields) declare(parameterName(field.name), filterOf(field).fieldType, 'Filter.');
  declare('orderby', orderType(collection), 'Field to order by.');
  declare('sort', DIRECTION, 'Sort direction.');
  return CollectionListQuery;
}
