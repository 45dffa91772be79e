import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues } from '../dialect';
import { inList } from '../value-lists';
import { readState, stateOf } from './list-changes';
import { ListMemory, type Remembered } from './list-memory';
import { type OrderedList, readIds } from './ordered-list';
import type { Direction } from './selection';

/** Columns, the id first, and what follows FROM. */
export interface PageSource {
  readonly columns: string;
  readonly from: string;
  /** The id's column, with its table. */
  readonly id: string;
}

export interface OrderedPage {
  readonly rows: RowValues[];
  readonly total: number;
}

/** A list's ids in its order. */
interface Order {
  readonly ids: Int32Array;
  readonly bytes: number;
}

/** Reads pages of large lists in any order, without counting, sorting or skipping records. */
@Injectable()
export class OrderedPages {
  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {}

  /** Reads the order in the background; resolves at the end. */
  prepare(list: OrderedList): Promise<void> {
    return this.memory.prepare(keyOf(list), list, async () => {
      const ids = (await readIds(this.dialect, list))?.toArray();
      return ids && { ids, bytes: ids.byteLength };
    });
  }

  /** Undefined when the order has not been read since the list changed. */
  async read(list: OrderedList, offset: number, size: number, direction: Direction, source: PageSource): Promise<OrderedPage | undefined> {
    const known = await this.memory.get<Order>(keyOf(list));
    if (!known) return undefined;
    const { ids } = known.content;
    const [from, to] = [Math.min(offset, ids.length), Math.min(offset + size, ids.length)];
    const page = direction === 'asc' ? ids.slice(from, to) : ids.slice(ids.length - to, ids.length - from).reverse();
    const rows = await this.readRows(list, known, Array.from(page), source);
    if (!rows) this.memory.forget(keyOf(list), known);
    return rows && { rows, total: ids.length };
  }

  /** Undefined when the list has changed. */
  private async readRows(
    list: OrderedList,
    known: Remembered<Order>,
    ids: readonly number[],
    { columns, from, id }: PageSource,
  ): Promise<RowValues[] | undefined> {
    if (ids.length === 0) return (await readState(this.dialect, list)) === known.state ? [] : undefined;
    const [state, among] = [stateOf(list), inList(ids)];
    const sql = `SELECT ${columns}, ${state.sql} FROM ${from} WHERE ${id} IN ${among.sql}`;
    const rows = await this.dialect.read(sql, [...state.values, ...among.values]);
    const byId = new Map(rows.map((row) => [row[0], row]));
    const isSame = byId.size === ids.length && rows[0][rows[0].length - 1] === known.state;
    return isSame ? ids.map((each) => byId.get(each)!.slice(0, -1)) : undefined;
  }
}

function keyOf({ accountId, table, column, condition, reference }: OrderedList): string {
  return `order ${JSON.stringify([table, accountId, reference ?? column, condition])}`;
}
