import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { PageRequest } from '../../common/records';
import { Field, OptionalField, type RawInput } from '../../http/input/fields';
import { oneOf } from '../../common/field-types';
import type { Direction } from '../../database/lists/selection';
import { DEFAULT_PAGE_SIZE, PageNumber, PageSize } from '../../http/pagination';
import { RequestError } from '../../http/errors/request-error';
import { type Collection, parameterName, searchFields } from '../collections/collection';
import { COLLECTIONS } from '../collections/collections';
import { ANY, DIGITS, DIRECTION, filterOf, type FilterValue, orderType } from './search-types';

export const API = oneOf(
  COLLECTIONS.map(({ name }) => name),
  COLLECTIONS[0].name,
);

export interface RecordQuery {
  collection: Collection;
  id: number;
}

export interface ListQuery {
  collection: Collection;
  orderby: string;
  sort: Direction;
  /** Keyed by field name. */
  filters: Map<string, FilterValue>;
  /** No `page` means every record. */
  page?: PageRequest;
}

export interface SchedulingQuery {
  readonly parsed: RecordQuery | ListQuery;
}

/** The validated query of a request. */
export const ParsedQuery = createParamDecorator((_: unknown, context: ExecutionContext): SchedulingQuery['parsed'] => {
  return context.switchToHttp().getRequest<{ query: SchedulingQuery }>().query.parsed;
});

const DTOS = new Map<unknown, { idName: string; record: Type<SchedulingQuery>; list: Type<SchedulingQuery> }>(
  COLLECTIONS.map((collection) => [
    collection.name,
    { idName: parameterName(collection.id), record: recordQueryClass(collection), list: listQueryClass(collection) },
  ]),
);

/** Chooses the DTO by `api`, and by whether the collection's id parameter is present. @throws RequestError when `api` is missing or unknown */
export function chooseQuery(raw: RawInput): Type<SchedulingQuery> {
  const dtos = DTOS.get(raw.api);
  if (!dtos) throw refuseApi(raw.api);
  return dtos.idName in raw ? dtos.record : dtos.list;
}

function refuseApi(value: unknown): RequestError {
  const source = { in: 'query', name: 'api' } as const;
  if (value === undefined || value === '') return RequestError.of('missing_parameter', `api is required: ${API.expected}.`, source);
  const accepted = Array.isArray(value) ? 'given once' : API.expected;
  return RequestError.of('invalid_parameter', `api must be ${accepted}.`, source);
}

function recordQueryClass(collection: Collection): Type<SchedulingQuery> {
  const idName = parameterName(collection.id);

  class CollectionRecordQuery implements SchedulingQuery {
    get parsed(): RecordQuery {
      return { collection, id: (this as unknown as Record<string, number>)[idName] };
    }
  }
  Field(API, 'Collection.')(CollectionRecordQuery.prototype, 'api');
  Field(DIGITS, 'Id of the record.')(CollectionRecordQuery.prototype, idName);
  return CollectionRecordQuery;
}

function listQueryClass(collection: Collection): Type<SchedulingQuery> {
  const fields = searchFields(collection);

  class CollectionListQuery implements SchedulingQuery {
    sort: Direction = 'asc';
    orderby: string = collection.id;

    @PageNumber()
    page?: number;

    @PageSize()
    results_per_page?: number;

    get parsed(): ListQuery {
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
  Field(API, 'Collection.')(CollectionListQuery.prototype, 'api');
  for (const field of fields) OptionalField(filterOf(field).fieldType, 'Filter.')(CollectionListQuery.prototype, parameterName(field.name));
  OptionalField(orderType(collection), 'Field to order by.')(CollectionListQuery.prototype, 'orderby');
  OptionalField(DIRECTION, 'Sort direction.')(CollectionListQuery.prototype, 'sort');
  return CollectionListQuery;
}
