import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues } from '../dialect';
import type { AnchoredOrder } from './anchored-order';
import { isOf, ListStates } from './list-state';
import type { OrderedList } from './ordered-list';
import { OrderPass, pieceOf } from './order-pass';
import type { Direction } from './selection';
import { type Snapshot, Snapshots } from './snapshots';

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
    private readonly snapshots: Snapshots,
    private readonly states: ListStates,
  ) {}

  /** Walks the order's indexes in the background; resolves at the end. */
  prepare(list: OrderedList): Promise<void> {
    return this.snapshots.build(keyOf(list), list, () => new OrderPass(this.dialect, list).run());
  }

  /** Undefined when the order has not been walked since the list changed. */
  async read(list: OrderedList, offset: number, size: number, direction: Direction, source: PageSource): Promise<OrderedPage | undefined> {
    const snapshot = await this.snapshots.get<AnchoredOrder>(keyOf(list));
    if (!snapshot) return undefined;
    const { total } = snapshot.content;
    const [from, to] = [Math.min(offset, total), Math.min(offset + size, total)];
    const isUp = direction === 'asc';
    const rows = await this.readRows(snapshot, list, isUp ? from : total - to, isUp ? to : total - from, source);
    return rows && { rows: isUp ? rows : rows.reverse(), total };
  }

  private async readRows(
    snapshot: Snapshot<AnchoredOrder>,
    list: OrderedList,
    start: number,
    end: number,
    { columns, from }: PageSource,
  ): Promise<RowValues[] | undefined> {
    const { content, state } = snapshot;
    const slices = content.slices(start, end);
    if (slices.length > MAX_SLICES) return undefined;
    const pages: RowValues[] = [];
    for (const slice of slices) {
      const page = pieceOf(this.dialect, list, slice);
      const sql = `SELECT ${columns}, ${state.sql} FROM ${from(`(${page.sql}) page`)} ORDER BY page_value, page_id`;
      pages.push(...(await this.dialect.read(sql, [...state.values, ...page.values], list)));
    }
    const isCurrent = pages.length > 0 ? pages.every((row) => isOf(state, row)) : await this.states.isCurrent(state);
    if (isCurrent && pages.length === end - start) return pages.map((row) => row.slice(0, -state.width));
    this.snapshots.forget(keyOf(list), snapshot);
    return undefined;
  }
}

function keyOf({ accountId, table, column, condition, reference }: OrderedList): string {
  return JSON.stringify([table, accountId, reference ?? column, condition]);
}
