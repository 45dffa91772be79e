import type { Value } from '../dialect';
import type { Condition } from './selection';

/** How writes of requests show: by ids, and by `last_datetime` in an index of the account's, if the table has that column. */
export type RequestWrites = 'by id' | 'by id and time';

/** An account's records of one table, and the tables whose changes may show in them. */
export interface ListSource {
  readonly accountId: number;
  readonly table: string;
  /** The id column. */
  readonly id: string;
  /** Includes `table`. */
  readonly tables: readonly string[];
  /** How writes of this service show; imports count their changes. */
  readonly writes: 'counted' | RequestWrites;
  /** Further conditions, as `conditionsOf` writes them. */
  readonly condition: Condition;
}

/** A list in ascending order of an indexed column, or of a text of the records that it refers to. The id breaks ties. */
export interface OrderedList extends ListSource {
  /** May be the id. NULL comes before any value. */
  readonly column: string;
  readonly reference?: Reference;
}

/** `list.column = table.column`, ordered by `table.order`. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly order: string;
}

/** A record's place in an order. */
export interface Key {
  readonly value: Value;
  readonly id: number;
}
