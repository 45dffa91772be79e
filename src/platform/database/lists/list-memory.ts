import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { SharedRuns } from '../../common/concurrency';
import { Dialect, type List, type SqlReader } from '../dialect';
import { type ListTable, readState } from './list-changes';

/** Bounds how long a write by other software goes unnoticed. */
const MAX_AGE_MS = 5_000;
/** From this age on, using the content triggers a check in the background. */
const CHECK_AGE_MS = 2_000;
/** From this age on, content is reread even if the change marker is unchanged: it may have missed a write. */
const REREAD_AGE_MS = 300_000;
/** Pause after a background read, in multiples of the read's duration: limits rereading of a list that changes constantly. */
const REREAD_PAUSE_FACTOR = 5;
const MAX_CACHE_BYTES = 96 * 2 ** 20;

/** The bytes that the content takes up in the cache. Content of 0 bytes isn't cached. */
export interface SizedContent {
  readonly bytes: number;
}

/** Content read from a list, valid for as long as the list is in this state. */
export interface CachedContent<T> {
  readonly content: T;
  readonly state: string;
}

interface CacheEntry {
  cached: CachedContent<SizedContent>;
  readonly tables: readonly string[];
  readonly marker: Marker;
  /** When a check last found no writes by other software. Monotonic, like all times here. */
  validAt: number;
  readonly renew: () => Promise<unknown>;
}

/** The tables' change marker, and when it was read. */
interface Marker {
  readonly value: string | undefined;
  readonly readAt: number;
}

/**
 * A cache of what this process has read from large lists. Callers must check that an entry's state equals the state that they select along
 * with their records. The cache limits its own size, and drops entries that other software may have made stale.
 */
@Injectable()
export class ListMemory {
  private readonly entries = new Map<string, CacheEntry>();
  private bytes = 0;
  private readonly markerReads = new SharedRuns<Marker>();
  private readonly sharedReads = new SharedRuns<CachedContent<SizedContent>>();
  /** Background reads (`prepare`) by key: queued, in progress, or in the pause afterwards. */
  private readonly backgroundReads = new Map<string, Promise<void>>();
  private lastBackgroundRead: Promise<void> = Promise.resolve();

  constructor(
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  /** Undefined if there is no entry, or other software may have changed the list. */
  async get<T extends SizedContent>(key: string): Promise<CachedContent<T> | undefined> {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry); // at the end of the map, which is evicted last
    if (this.ageOf(entry) > MAX_AGE_MS) await this.revalidate(key, entry);
    else if (this.ageOf(entry) > CHECK_AGE_MS) this.revalidate(key, entry).catch(() => undefined);
    return this.ageOf(entry) > MAX_AGE_MS ? undefined : (entry.cached as CachedContent<T>);
  }

  /** Whether there is an entry, current or not. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  /**
   * Reads and caches content with its state; `read` gets the previous entry. Concurrent calls share a read that starts after
   * them.
   */
  load<T extends SizedContent>(
    key: string,
    tables: readonly string[],
    read: (old?: CachedContent<T>) => Promise<CachedContent<T>>,
  ): Promise<CachedContent<T>> {
    const reading = this.sharedReads.run(key, async () => {
      const noMarker: Marker = { value: undefined, readAt: this.clock.monotonic() };
      const marker = this.has(key) ? await this.readMarker(tables) : noMarker; // without an entry, the list may be small: saves a query
      const cached = await read(this.entries.get(key)?.cached as CachedContent<T> | undefined);
      this.store(key, { cached, tables, marker, validAt: marker.readAt, renew: () => this.load(key, tables, read) });
      return cached;
    });
    return reading as Promise<CachedContent<T>>;
  }

  /**
   * Reads and caches content that takes many statements, in the background, one at a time; skips content that is current or just read.
   * Resolves when done, even on failure; the first request after a pause tries again.
   */
  prepare(key: string, source: ListTable, read: () => Promise<SizedContent | undefined>): Promise<void> {
    const pending = this.backgroundReads.get(key);
    if (pending) return pending;
    this.lastBackgroundRead = this.lastBackgroundRead.then(() => this.readInBackground(key, source, read)).catch(() => undefined);
    this.backgroundReads.set(key, this.lastBackgroundRead);
    return this.lastBackgroundRead;
  }

  /** Replaces `old` with its update to a later state, unless the entry has been reread since. */
  update(key: string, old: CachedContent<SizedContent>, remembered: CachedContent<SizedContent>): void {
    const entry = this.entries.get(key);
    if (entry?.cached !== old) return;
    this.bytes += remembered.content.bytes - old.content.bytes;
    entry.cached = remembered;
  }

  forget(key: string, old: CachedContent<SizedContent>): void {
    if (this.entries.get(key)?.cached === old) this.store(key, undefined);
  }

  private async readInBackground(key: string, source: ListTable, read: () => Promise<SizedContent | undefined>): Promise<void> {
    const start = this.clock.monotonic();
    try {
      const { table, tables = [table] } = source;
      const marker = await this.readMarker(tables);
      const state = await readState(this.dialect, source);
      const old = this.entries.get(key);
      if (old?.cached.state === state && isSame(old.marker, marker) && !this.needsReread(old)) return;
      const content = await read();
      this.store(key, undefined);
      if (!content || (await readState(this.dialect, source)) !== state) return;
      const renew = () => this.prepare(key, source, read);
      const entry: CacheEntry = { cached: { content, state }, tables, marker, validAt: marker.readAt, renew };
      await this.revalidate(key, entry); // other software may have written during a long read
      this.store(key, entry);
    } finally {
      // Also pauses after a failure, which may be permanent, such as a query that always times out.
      setTimeout(() => this.backgroundReads.delete(key), REREAD_PAUSE_FACTOR * (this.clock.monotonic() - start)).unref();
    }
  }

  /** Checks whether other software has written to the tables; if it may have, rereads in the background. */
  private async revalidate(key: string, entry: CacheEntry): Promise<void> {
    const marker = await this.readMarker(entry.tables);
    const isValid = isSame(entry.marker, marker);
    if (isValid) entry.validAt = marker.readAt;
    // An entry too old to use is reread on demand.
    const isDue = isValid ? this.needsReread(entry) : this.ageOf(entry) <= MAX_AGE_MS;
    if (isDue && !this.sharedReads.isRunning(key)) entry.renew().catch(() => undefined);
  }

  private readMarker(tables: readonly string[]): Promise<Marker> {
    return this.markerReads.run(tables.join(), async () => {
      const readAt = this.clock.monotonic();
      return { value: await this.dialect.changeMarker(tables), readAt };
    });
  }

  private store(key: string, entry: CacheEntry | undefined): void {
    this.bytes -= this.entries.get(key)?.cached.content.bytes ?? 0;
    this.entries.delete(key);
    if (!entry?.cached.content.bytes) return;
    this.entries.set(key, entry);
    this.bytes += entry.cached.content.bytes;
    for (const [oldest, { cached }] of this.entries) {
      if (this.bytes <= MAX_CACHE_BYTES) return;
      this.entries.delete(oldest);
      this.bytes -= cached.content.bytes;
    }
  }

  /** Milliseconds since the entry was last known to be valid. */
  private ageOf({ validAt }: CacheEntry): number {
    return this.clock.monotonic() - validAt;
  }

  private needsReread({ marker: { readAt } }: CacheEntry): boolean {
    return this.clock.monotonic() - readAt > REREAD_AGE_MS;
  }
}

function isSame(before: Marker, now: Marker): boolean {
  return now.value !== undefined && now.value === before.value;
}

const MAX_CACHED_SIZES = 10_000;

/**
 * Whether lists have more than `max` records: reads at most as many index entries, and caches the result for five seconds. In that time,
 * an import can add 150,000 records to a list considered small; counting those takes a few milliseconds.
 */
export class ListSizes {
  private readonly probes = new Map<string, { isLarge: boolean; at: number }>();

  constructor(
    private readonly reader: SqlReader & { readonly clock: Clock },
    private readonly max: number,
  ) {}

  isLarge({ table, accountId }: List): boolean | Promise<boolean> {
    const key = `${table} ${accountId}`;
    const cached = this.probes.get(key);
    return cached && this.reader.clock.monotonic() - cached.at < MAX_AGE_MS ? cached.isLarge : this.probe(key, table, accountId);
  }

  private async probe(key: string, table: string, accountId: number | null): Promise<boolean> {
    const [row] = await this.reader.read(`SELECT 1 FROM ${table} WHERE account_id = ? LIMIT 1 OFFSET ${this.max}`, [accountId]);
    if (this.probes.size >= MAX_CACHED_SIZES) this.probes.clear();
    this.probes.set(key, { isLarge: row !== undefined, at: this.reader.clock.monotonic() });
    return row !== undefined;
  }
}
