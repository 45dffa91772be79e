import type { PageRequest } from '../../common/records';
import type { RowValues } from '../dialect';
import type { RecordTable } from './record-table';
import type { Selection } from './selection';

/** Which page of a list to read, and the list's filters and order. */
export interface ListRequest extends PageRequest {
  readonly selection?: Selection;
}

/** The rows of a page, and the number of records in the whole list. */
export interface Slice {
  readonly rows: RowValues[];
  readonly total: number;
}

/** Reads pages of an account's list. Abstract, so that code that reads a record by id doesn't depend on how large lists are paged. */
export abstract class Pages {
  abstract read(source: RecordTable<unknown>, accountId: number, request: ListRequest): Promise<Slice>;
}
