import type { PageRequest } from '../database/page';
import { OptionalField } from './field';
import { oneOf, POSITIVE_INTEGER } from './kinds';

const PAGE_SIZES = [10, 25, 50, 100, 250, 500, 1000] as const;
const DEFAULT_PAGE_SIZE = 25;

/** The query of every list that has pages. */
export class PageQuery implements PageRequest {
  @OptionalField(POSITIVE_INTEGER, 'Page number, counted from 1. A page past the end is empty.', 1)
  page: number = 1;

  @OptionalField(oneOf<number>(PAGE_SIZES, DEFAULT_PAGE_SIZE), 'Records on a page.', DEFAULT_PAGE_SIZE)
  results_per_page?: number;

  get size(): number {
    return this.results_per_page ?? DEFAULT_PAGE_SIZE;
  }
}
