import { applyDecorators, type Type } from '@nestjs/common';
import { Expose } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { type FieldType, FLAG, oneOf, POSITIVE_INTEGER, text, TIME_BOUND } from '../common/field-types';
import { foldSearchText } from '../common/fold-text';
import type { PageRequest } from '../common/records';
import type { Direction, Filter, Match, Selection } from '../database/records/selection';
import { namesOf } from './input/dto-names';
import { rule } from './input/rules';

const PAGE_SIZES = [10, 25, 50, 100, 250, 500, 1000] as const;
export const DEFAULT_PAGE_SIZE = 25;

export const PAGE_NUMBER = POSITIVE_INTEGER;
export const PAGE_SIZE = oneOf<number>(PAGE_SIZES, DEFAULT_PAGE_SIZE);

function OptionalRule(fieldType: FieldType<unknown>, description: string, fallback?: unknown): PropertyDecorator {
  return applyDecorators(IsOptional(), rule('isParameter', fieldType)(description, { default: fallback }));
}

export const PageNumber = () => OptionalRule(PAGE_NUMBER, 'Page number, from 1. A page past the end is empty.', 1);
export const PageSize = () => OptionalRule(PAGE_SIZE, 'Records per page.', DEFAULT_PAGE_SIZE);

/** The query of a list. Page links keep the fields that a subclass adds. */
export class PageQuery implements PageRequest {
  @PageNumber()
  page: number = 1;

  @PageSize()
  results_per_page?: number;

  /** Exposed, because a ValidationPipe may pass on a plain copy. */
  @Expose({ toPlainOnly: true })
  get size(): number {
    return this.results_per_page ?? DEFAULT_PAGE_SIZE;
  }
}

const PAGE_NAMES = namesOf(PageQuery).optional;

/** The fields that a subclass adds: the required ones, then the optional ones. */
export function filterNames(query: Type<PageQuery>): string[] {
  if (query === PageQuery) return [];
  const { required, optional } = namesOf(query);
  return [...required, ...optional].filter((name) => !PAGE_NAMES.has(name));
}

/** The page requested by a query that the DTO has accepted. */
export function pageRequestOf(Query: Type<PageQuery>, parameters: URLSearchParams): PageRequest {
  const query = new Query();
  query.page = PAGE_NUMBER.parse(parameters.get('page') ?? '') ?? query.page;
  query.results_per_page = PAGE_SIZE.parse(parameters.get('results_per_page') ?? '') ?? query.results_per_page;
  return query;
}

/** A parameter that filters records. */
export interface ListFilter {
  fieldType: FieldType<string | number | boolean>;
  description: string;
  match: Match;
  /** Defaults to the parameter's name. */
  column?: string;
  /** The other table, if `column` is an expression that reads one. Updates of that table must be counted. */
  table?: string;
  /** For `contains`: the text to find, and an optional alternative. */
  textsOf?: (text: string) => [string, string?];
}

/** Filters and orders of a resource's lists. The SQL, the validation and the documentation are derived from them. */
interface ListDefinition {
  /** By parameter name, in the order in which page links have them. */
  filters: Readonly<Record<string, ListFilter>>;
  /** Names of filters or columns, each of which needs an index that begins with account_id. `id` is always allowed. */
  orderby: readonly string[];
  /** Values of `include`: optional parts of each record. */
  include?: readonly string[];
}

/** The query of a list; its DTOs are classes that extend `listQuery(…)`. */
export interface ListQuery extends PageQuery {
  readonly selection: Selection;
  include?: string;
}

const MAX_SEARCH_LENGTH = 128;
export const ASC_OR_DESC = oneOf<Direction>(['asc', 'desc'], 'asc');
const CREATION_TIME = { fieldType: TIME_BOUND, column: 'datetime' };

/** Matches part of a text, ignoring case and accents; the column must hold folded text. */
export function contains(column: string, example: string, textsOf: ListFilter['textsOf'] = (value) => [foldSearchText(value)]): ListFilter {
  const description = 'Only records that contain this text, ignoring case and accents.';
  return { fieldType: text(MAX_SEARCH_LENGTH, example), match: 'contains', column, textsOf, description };
}

export function equals(fieldType: FieldType<string | number>, column?: string): ListFilter {
  return { fieldType, match: 'equals', column, description: 'Only records with this value.' };
}

/** Like `equals`, for a reference whose column has its own index. */
export function refersTo(fieldType: FieldType<number>): ListFilter {
  return { ...equals(fieldType), match: 'refers to' };
}

export const ENABLED: ListFilter = {
  fieldType: FLAG,
  match: 'equals',
  description: 'Only records that are enabled, or only those that are not.',
};

/** Filters by time, for records with `datetime` and, if `hasUpdates`, `last_datetime`. */
export function times(hasUpdates = true): Record<string, ListFilter> {
  const from: ListFilter = { ...CREATION_TIME, match: 'from', description: 'Only records created at this time or later.' };
  const until: ListFilter = { ...CREATION_TIME, match: 'until', description: 'Only records created before this time.' };
  const description = 'Only records created or changed at this time or later.';
  const changed: ListFilter = { ...CREATION_TIME, match: 'changed since', column: 'last_datetime', description };
  return { created_from: from, created_until: until, changed_since: hasUpdates ? changed : from };
}

/** A base class for the DTO of a list's query. */
export function listQuery({ filters, orderby: orders, include: parts }: ListDefinition): Type<ListQuery> {
  const filterEntries = Object.entries(filters);
  class DefinedQuery extends PageQuery implements ListQuery {
    orderby: string = 'id';
    sort: Direction = 'asc';
    include?: string;

    /** Exposed, because a ValidationPipe may pass on a plain copy. */
    @Expose({ toPlainOnly: true })
    get selection(): Selection {
      return { filters: chosenFilters(filterEntries, this), orderby: filters[this.orderby]?.column ?? this.orderby, direction: this.sort };
    }
  }
  declareFilters(filters, DefinedQuery);
  OptionalRule(oneOf(['id', ...orders], 'id'), 'Field to order by.', 'id')(DefinedQuery.prototype, 'orderby');
  OptionalRule(ASC_OR_DESC, 'Sort direction.', 'asc')(DefinedQuery.prototype, 'sort');
  if (parts) OptionalRule(oneOf(parts, parts[0]), 'Adds this part to each record.')(DefinedQuery.prototype, 'include');
  return DefinedQuery;
}

/** A form whose fields choose records. */
export interface HasFilters {
  readonly filters: readonly Filter[];
}

/** A base class for the DTO of a form that has a list's filters as fields. */
export function filterForm(filters: ListDefinition['filters']): Type<HasFilters> {
  const filterEntries = Object.entries(filters);
  class DefinedForm implements HasFilters {
    @Expose({ toPlainOnly: true })
    get filters(): Filter[] {
      return chosenFilters(filterEntries, this);
    }
  }
  declareFilters(filters, DefinedForm);
  return DefinedForm;
}

function declareFilters(filters: ListDefinition['filters'], { prototype }: Type): void {
  for (const [name, { fieldType, description }] of Object.entries(filters)) {
    OptionalRule(fieldType, description)(prototype as object, name);
  }
}

/** The filters for which the input has a value. */
function chosenFilters(filters: readonly [name: string, ListFilter][], input: object): Filter[] {
  const values = input as Partial<Record<string, string | number | boolean>>;
  const chosen = filters.filter(([name]) => values[name] !== undefined);
  return chosen.map(([name, { column = name, table, match, textsOf }]) => {
    const inputValue = values[name]!;
    const [value, alternative] = textsOf?.(String(inputValue)) ?? [inputValue];
    return { column, table, match, value, alternative };
  });
}
