/** Which page of a list is asked for: `page` counts from 1, `size` is the number of records on each. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

/** One page of a list, and how many records the list has in all. */
export class Page<T> {
  constructor(
    readonly records: T[],
    readonly total: number,
    readonly request: PageRequest,
  ) {}
}
