import { Injectable } from '@nestjs/common';
import { Dialect, type Value } from '../dialect';
import { type ListSource, readState, stateOf } from './list-changes';
import { MAX_SMALL } from './list-counts';
import { ListMemory, type Sized } from './list-memory';

/** Bytes of a cached count with its key, and of one of a small list, which isn't cached. */
const [LARGE, SMALL] = [1_000, 0];

interface Count extends Sized {
  readonly matches: number;
}

/** Counts by statements over large lists. Each statement runs once per state of its tables. */
@Injectable()
export class StatementCounts {
  constructor(
    private readonly dialect: Dialect,
    private readonly memory: ListMemory,
  ) {}

  /** `sql` is a SELECT of one number. */
  async count(list: ListSource, sql: string, values: readonly Value[]): Promise<number> {
    const key = `statement ${JSON.stringify([sql, values])}`;
    const known = await this.memory.get<Count>(key);
    if (known && (await readState(this.dialect, list)) === known.state) return known.content.matches;
    const { table, accountId, tables = [table] } = list;
    const { content } = await this.memory.load<Count>(key, tables, async () => {
      const isLarge = `SELECT 1 FROM ${table} WHERE account_id = ? LIMIT 1 OFFSET ${MAX_SMALL}`;
      const state = stateOf(list);
      const [[matches, large, now]] = await this.dialect.read<[number, 1 | null, string]>(
        `SELECT (${sql}), (${isLarge}), ${state.sql}`,
        [...values, accountId, ...state.values],
        list,
      );
      return { content: { matches, bytes: large ? LARGE : SMALL }, state: now };
    });
    return content.matches;
  }
}
