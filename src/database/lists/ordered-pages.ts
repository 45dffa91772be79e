import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues } from '../dialect';
import { readState, stateOf } from './list-changes';
import { ListMemory, type Remembered } from './list-memory';
import { type AnchoredOrder, type OrderedList, OrderWalk, pieceOf } from './order-walk';
import type { Direction } from './selection';

/** Of more index ranges, a page is not worth the statements. */
const MAX_SLICES = 50;

/** Columns, and what follows FROM, given a subquery `page` with the ids as `page_id`. */
export interface PageSource {
  readonly columns: string;
  readonly from: (page: string) => string;
}

export interface OrderedPage {
  readonly rows: RowValues[];
  readonly total: number;
}

/** Reads pages of large lists in any order, without counting the list or scanning the records before the page. */
@Injectable()
export class OrderedPages {
  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {}

  /** Walks the order's indexes in the background; resolves at the end. */
  prepare(list: OrderedList): Promise<void> {
    return this.memory.prepare(keyOf(list), list, () => new OrderWalk(this.dialect, list).run());
  }

  /** Undefined when the order has not been walked since the list changed. */
  async read(list: OrderedList, offset: number, size: number, direction: Direction, source: PageSource): Promise<OrderedPage | undefined> {
    const known = await this.memory.get<AnchoredOrder>(keyOf(list));
    if (!known) return undefined;
    const { total } = known.content;
    const [from, to] = [Math.min(offset, total), Math.min(offset + size, total)];
    const isUp = direction === 'asc';
    const rows = await this.readRows(known, list, isUp ? from : total - to, isUp ? to : total - from, source);
    return rows && { rows: isUp ? rows : rows.reverse(), total };
  }

  private async readRows(
    known: Remembered<AnchoredOrder>,
    list: OrderedList,
    start: number,
    end: number,
    { columns, from }: PageSource,
  ): Promise<RowValues[] | undefined> {
    const state = stateOf(list);
    const slices = known.content.slices(start, end);
    if (slices.length > MAX_SLICES) return undefined;
    const pages: RowValues[] = [];
    for (const slice of slices) {
      const page = pieceOf(this.dialect, list, slice);
      const sql = `SELECT ${columns}, ${state.sql} FROM ${from(`(${page.sql}) page`)} ORDER BY page_value, page_id`;
      pages.push(...(await this.dialect.read(sql, [...state.values, ...page.values], list)));
    }
    const states = pages.length > 0 ? pages.map((row) => row[row.length - 1]) : [await readState(this.dialect, list)];
    if (pages.length === end - start && states.every((each) => each === known.state)) return pages.map((row) => row.slice(0, -1));
    this.memory.forget(keyOf(list), known);
    return undefined;
  }
}

function keyOf({ accountId, table, column, condition, reference }: OrderedList): string {
  return `order ${JSON.stringify([table, accountId, reference ?? column, condition])}`;
}
