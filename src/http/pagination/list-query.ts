import type { Type } from '@nestjs/common';
import { Expose } from 'class-transformer';
import { FLAG, type FieldType, oneOf, text, timeBeginning } from '../../common/field-types';
import { foldPart } from '../../common/fold-text';
import type { Direction, Filter, Match, Selection } from '../../database/lists/selection';
import { OptionalField } from '../input/field';
import { PageQuery } from './page-query';

/** A parameter that leaves records out. */
export interface ListFilter {
  fieldType: FieldType<string | number | boolean>;
  description: string;
  match: Match;
  /** Defaults to the parameter's name. */
  column?: string;
  /** Of `contains`: what is looked for, and perhaps an alternative. */
  textsOf?: (text: string) => [string, string?];
}

/** Filters and orders of a resource's lists: statement, validation and documentation follow from them. */
export interface ListDefinition {
  /** By parameter, in the order of the links. */
  filters: Readonly<Record<string, ListFilter>>;
  /** Parameters of `filters`, or columns. The id is always one. */
  orderby: readonly string[];
}

/** The query of a list; its DTOs are classes that extend `listQuery(…)`. */
export interface ListQuery extends PageQuery {
  readonly selection: Selection;
}

const MAX_TEXT = 128;
export const ASC_OR_DESC = oneOf<Direction>(['asc', 'desc'], 'asc');
const TIME = timeBeginning('YYYY-MM-DD'.length);

/** Found anywhere in a text, without case and accents: compared with a column that holds folded text. */
export function contains(column: string, example: string, textsOf: ListFilter['textsOf'] = (value) => [foldPart(value)]): ListFilter {
  const description = 'Text found anywhere, without case and accents.';
  return { fieldType: text(MAX_TEXT, example), match: 'contains', column, textsOf, description };
}

export function equals(fieldType: FieldType<string | number>, column?: string): ListFilter {
  return { fieldType, match: 'equals', column, description: 'Only records with this value.' };
}

/** As `equals`, for a reference whose column has an index of its own. */
export function refersTo(fieldType: FieldType<number>): ListFilter {
  return { ...equals(fieldType), match: 'refers to' };
}

export const ENABLED: ListFilter = { fieldType: FLAG, match: 'equals', description: 'Only records that are enabled, or are not.' };

/** Of records with `datetime`, and `last_datetime` if they can change. */
export function times(hasUpdates = true): Record<string, ListFilter> {
  const changed: ListFilter = hasUpdates
    ? {
        fieldType: TIME,
        match: 'changed since',
        column: 'last_datetime',
        description: 'Only records created or changed at this time or later.',
      }
    : { fieldType: TIME, match: 'from', column: 'datetime', description: 'Only records created at this time or later.' };
  return {
    created_from: { fieldType: TIME, match: 'from', column: 'datetime', description: 'Only records created at this time or later.' },
    created_until: { fieldType: TIME, match: 'until', column: 'datetime', description: 'Only records created before this time.' },
    changed_since: changed,
  };
}

/** A base class for the DTO of a list's query. */
export function listQuery({ filters, orderby: orders }: ListDefinition): Type<ListQuery> {
  class DefinedQuery extends PageQuery implements ListQuery {
    orderby: string = 'id';
    sort: Direction = 'asc';

    /** Exposed, because a ValidationPipe may pass on a plain copy. */
    @Expose({ toPlainOnly: true })
    get selection(): Selection {
      const query = this as unknown as Partial<Record<string, string | number | boolean>>;
      const chosen = Object.entries(filters).flatMap(([name, { column = name, match, textsOf }]): Filter[] => {
        const given = query[name];
        if (given === undefined) return [];
        const [value, alternative] = textsOf?.(String(given)) ?? [given];
        return [{ column, match, value, alternative }];
      });
      return { filters: chosen, orderby: filters[this.orderby]?.column ?? this.orderby, direction: this.sort };
    }
  }
  for (const [name, { fieldType, description }] of Object.entries(filters)) {
    OptionalField(fieldType, description)(DefinedQuery.prototype, name);
  }
  OptionalField(oneOf(['id', ...orders], 'id'), 'Field to order by.', 'id')(DefinedQuery.prototype, 'orderby');
  OptionalField(ASC_OR_DESC, 'Sort direction.', 'asc')(DefinedQuery.prototype, 'sort');
  return DefinedQuery;
}
