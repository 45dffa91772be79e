import type { PageRequest } from '../../common/records';
import type { RowValues } from '../dialect';
import type { RecordTable } from './record-table';
import type { Selection } from './selection';

/** A page of a list, and the list's filters and order. */
export interface ListRequest extends PageRequest {
  readonly selection?: Selection;
}

/** Rows of a page, and how many records the list has. */
export interface Slice {
  readonly rows: RowValues[];
  readonly total: number;
}

/** Where records get the pages of an account's list: reading one by id must not depend on how large lists are paged. */
export abstract class Pages {
  abstract read(source: RecordTable<unknown>, accountId: number, request: ListRequest): Promise<Slice>;
}
