export interface PageRequest {
  /** Counted from 1. */
  readonly page: number;
  /** Records per page. */
  readonly size: number;
}

export class Page<T> {
  constructor(
    readonly records: T[],
    /** Records in the whole list. */
    readonly total: number,
    readonly request: PageRequest,
  ) {}
}
