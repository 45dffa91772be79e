import { Injectable } from '@nestjs/common';
import { Dialect } from '../dialect';
import { type AccountList, changesBetween, isSameUpTo, newestId, stateOf } from './list-changes';
import { MAX_SMALL } from './list-counts';
import { ListMemory, type Remembered } from './list-memory';
import type { Condition } from './selection';

/** With more records after the end, each of which is compared with the filter, a count is made anew. */
const MAX_NEWER = 2_000;
const COUNT_BYTES = 1_000;

/** How many records match a filter, up to the list's then greatest id. */
interface FilterCount {
  readonly matches: number;
  readonly end: number;
  readonly bytes: number;
}

type Known = Remembered<FilterCount>;

/**
 * Remembers how many records of a large list match a filter: counting a million takes up to a second. A count holds until another record
 * is deleted or updated; newer records are compared each time.
 */
@Injectable()
export class FilterCounts {
  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {}

  async count(list: AccountList, condition: Condition): Promise<number> {
    const key = `filter ${JSON.stringify([list.table, list.accountId, condition])}`;
    const known = await this.memory.get<FilterCount>(key);
    const total = known && (await this.update(known, key, list, condition));
    return total ?? this.recount(key, list, condition);
  }

  /** Undefined when it no longer holds. */
  private async update({ content, state }: Known, key: string, list: AccountList, condition: Condition): Promise<number | undefined> {
    const [account, stateNow] = [this.dialect.ofAccount(list.accountId), stateOf(list)];
    const newer = `SELECT COUNT(*) FROM ${list.table} WHERE ${account.sql} AND id > ?`;
    const values = [...account.values, content.end];
    const [[all, matching, now]] = await this.dialect.read(
      `SELECT (${newer}), (${newer}${condition.sql}), ${stateNow.sql}`,
      [...values, ...values, ...condition.values, ...stateNow.values],
      list,
    );
    const changes = changesBetween(state, String(now));
    if (changes.updated > 0 || !isSameUpTo(changes, Number(all))) return undefined;
    if (Number(all) > MAX_NEWER) this.recount(key, list, condition).catch(() => undefined);
    return content.matches + Number(matching);
  }

  private async recount(key: string, list: AccountList, condition: Condition): Promise<number> {
    const { table, accountId } = list;
    const { content } = await this.memory.load<FilterCount>(key, [table], async () => {
      const [newest, state] = [newestId(this.dialect, list), stateOf(list)];
      const large = `SELECT 1 FROM ${table} WHERE account_id = ? LIMIT 1 OFFSET ${MAX_SMALL}`;
      const [[matches, end, isLarge, stateNow]] = await this.dialect.read(
        `SELECT COUNT(*), ${newest.sql}, (${large}), ${state.sql} FROM ${table} WHERE account_id = ?${condition.sql}`,
        [...newest.values, accountId, ...state.values, accountId, ...condition.values],
        list,
      );
      const bytes = isLarge === null ? 0 : COUNT_BYTES;
      return { content: { matches: Number(matches), end: Number(end), bytes }, state: String(stateNow) };
    });
    return content.matches;
  }
}
