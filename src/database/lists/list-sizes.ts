import type { List, SqlReader } from '../dialect';

/** How long a probe counts: in this time an import adds 150,000 records, which are counted in a few milliseconds. */
const MAX_AGE_MS = 5_000;
const MAX_LISTS = 10_000;

/** Whether lists have more than `max` records: reads at most as many index entries, and remembers the result for a moment. */
export class ListSizes {
  private readonly probes = new Map<string, { isLarge: boolean; at: number }>();

  constructor(
    private readonly reader: SqlReader,
    private readonly max: number,
  ) {}

  isLarge(list: List): boolean | Promise<boolean> {
    const key = `${list.table} ${list.accountId}`;
    const known = this.probes.get(key);
    return known && performance.now() - known.at < MAX_AGE_MS ? known.isLarge : this.probe(list, key);
  }

  private async probe({ table, accountId }: List, key: string): Promise<boolean> {
    const [row] = await this.reader.read(`SELECT 1 FROM ${table} WHERE account_id = ? LIMIT 1 OFFSET ${this.max}`, [accountId]);
    if (this.probes.size >= MAX_LISTS) this.probes.clear();
    this.probes.set(key, { isLarge: row !== undefined, at: performance.now() });
    return row !== undefined;
  }
}
