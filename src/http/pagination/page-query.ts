import type { Type } from '@nestjs/common';
import { Expose } from 'class-transformer';
import type { PageRequest } from '../../common/page';
import { namesOf } from '../input/check-input';
import { OptionalField } from '../input/field';
import { oneOf, POSITIVE_INTEGER } from '../../common/field-types';

const PAGE_SIZES = [10, 25, 50, 100, 250, 500, 1000] as const;
export const DEFAULT_PAGE_SIZE = 25;

export const PAGE_NUMBER = POSITIVE_INTEGER;
export const PAGE_SIZE = oneOf<number>(PAGE_SIZES, DEFAULT_PAGE_SIZE);

export const PageNumber = () => OptionalField(PAGE_NUMBER, 'Page number, from 1. A page past the end is empty.', 1);
export const PageSize = () => OptionalField(PAGE_SIZE, 'Records per page.', DEFAULT_PAGE_SIZE);

/** The query of a list. The links of its pages keep the fields that a subclass adds. */
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

const OWN_NAMES = namesOf(PageQuery).optional;

/** The fields that a subclass adds, in order. */
export function filterNames(query: object): string[] {
  if (!(query instanceof PageQuery) || query.constructor === PageQuery) return [];
  const { required, optional } = namesOf(query.constructor as Type);
  return [...required, ...optional].filter((name) => !OWN_NAMES.has(name));
}
