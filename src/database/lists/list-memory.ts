import { Injectable } from '@nestjs/common';
import { SharedRuns } from '../../common/shared-runs';
import { Dialect } from '../dialect';
import { type ListSource, readState } from './list-changes';

/** Bounds how long a write by other software goes unnoticed. */
const MAX_AGE_MS = 5_000;
/** From this age on, a use triggers a check in the background. */
const CHECK_MS = 2_000;
/** From this age on, it is read anew although the change marker is the same, which may hide a write. */
const REREAD_MS = 300_000;
/** Between two passes for the same, in durations of the first: lists that change all the time are not read all the time. */
const REST = 5;
const MAX_RESTS = 10_000;
const MAX_BYTES = 96 * 2 ** 20;

/** Nothing of 0 bytes is kept. */
export interface Sized {
  readonly bytes: number;
}

/** What was read of a list, and the list's state then: it holds for as long as that is its state. */
export interface Remembered<T> {
  readonly content: T;
  readonly state: string;
}

interface Entry {
  remembered: Remembered<Sized>;
  readonly tables: readonly string[];
  readonly marker: string | undefined;
  readonly readAt: number;
  /** When no other software had written yet; by the monotonic clock, as all times here. */
  provenAt: number;
  readonly renew: () => Promise<unknown>;
  isRenewing?: boolean;
}

/** Of tables, read at a time. */
interface Marker {
  readonly value: Promise<string | undefined>;
  readonly readAt: number;
}

/**
 * What this process remembers of large lists. Its users compare the state of what they get with the one they select with their records;
 * the memory bounds its size, and drops what other software may have changed.
 */
@Injectable()
export class ListMemory {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;
  /** Being read: concurrent checks share them. */
  private readonly markers = new Map<string, Marker>();
  private readonly readings = new SharedRuns<Remembered<Sized>>();
  private readonly passes = new Map<string, Promise<void>>();
  private lastPass: Promise<void> = Promise.resolve();
  /** When the next pass may begin. */
  private readonly rests = new Map<string, number>();

  constructor(private readonly dialect: Dialect) {}

  /** Undefined when there is none, or other software may have changed the list. */
  async get<T extends Sized>(key: string): Promise<Remembered<T> | undefined> {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry); // the last to be evicted
    if (ageOf(entry) > MAX_AGE_MS) await this.prove(entry);
    else if (ageOf(entry) > CHECK_MS) this.prove(entry).catch(() => undefined);
    return ageOf(entry) > MAX_AGE_MS ? undefined : (entry.remembered as Remembered<T>);
  }

  /** Whether there is one, current or not. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  /**
   * Reads and remembers it, together with its state; `read` gets what was remembered before. The result was read after the call, and
   * concurrent calls share it.
   */
  load<T extends Sized>(
    key: string,
    tables: readonly string[],
    read: (old?: Remembered<T>) => Promise<Remembered<T>>,
  ): Promise<Remembered<T>> {
    const reading = this.readings.run(key, async () => {
      const readAt = performance.now();
      const marker = this.has(key) ? await this.markerOf(tables).value : undefined; // a list that may be small is spared the statement
      const remembered = await read(this.entries.get(key)?.remembered as Remembered<T> | undefined);
      this.store(key, { remembered, tables, marker, readAt, provenAt: readAt, renew: () => this.load(key, tables, read) });
      return remembered;
    });
    return reading as Promise<Remembered<T>>;
  }

  /**
   * Reads and remembers in the background what takes many statements, one at a time, unless it is current or was read a moment ago.
   * Resolves at the end. Failures are left to the next request.
   */
  prepare(key: string, source: ListSource, read: () => Promise<Sized | undefined>): Promise<void> {
    const pending = this.passes.get(key);
    if (pending || performance.now() < (this.rests.get(key) ?? 0)) return pending ?? Promise.resolve();
    this.lastPass = this.lastPass
      .then(() => this.pass(key, source, read))
      .catch(() => undefined)
      .finally(() => this.passes.delete(key));
    this.passes.set(key, this.lastPass);
    return this.lastPass;
  }

  /** Replaces it by the same at a later state, unless it has been read anew. */
  update(key: string, old: Remembered<Sized>, remembered: Remembered<Sized>): void {
    const entry = this.entries.get(key);
    if (entry?.remembered !== old) return;
    this.bytes += remembered.content.bytes - old.content.bytes;
    entry.remembered = remembered;
  }

  forget(key: string, old: Remembered<Sized>): void {
    if (this.entries.get(key)?.remembered === old) this.store(key, undefined);
  }

  private async pass(key: string, source: ListSource, read: () => Promise<Sized | undefined>): Promise<void> {
    const readAt = performance.now();
    const { table, tables = [table] } = source;
    const marker = await this.markerOf(tables).value;
    const state = await readState(this.dialect, source);
    const old = this.entries.get(key);
    const isCurrent = old?.remembered.state === state && old.marker === marker && marker !== undefined && !isOld(old);
    if (isCurrent) return;
    try {
      const content = await read();
      this.store(key, undefined);
      if (!content || (await readState(this.dialect, source)) !== state) return;
      const renew = () => this.prepare(key, source, read);
      const entry: Entry = { remembered: { content, state }, tables, marker, readAt, provenAt: readAt, renew };
      await this.prove(entry); // of what takes long, too
      this.store(key, entry);
    } finally {
      if (this.rests.size >= MAX_RESTS) this.rests.clear();
      this.rests.set(key, performance.now() + REST * (performance.now() - readAt)); // also of a pass that always fails, by a time limit for example
    }
  }

  /** Checks whether other software has written to the tables; if it may have, reads anew. */
  private async prove(entry: Entry): Promise<void> {
    const { value, readAt } = this.markerOf(entry.tables);
    const marker = await value;
    const isProven = marker !== undefined && marker === entry.marker;
    if (isProven) entry.provenAt = Math.max(entry.provenAt, readAt);
    // What is too old to be used is read anew by who wants to use it.
    if (entry.isRenewing || !(isProven ? isOld(entry) : ageOf(entry) <= MAX_AGE_MS)) return;
    entry.isRenewing = true;
    const renewal = entry.renew().catch(() => undefined);
    void renewal.finally(() => (entry.isRenewing = false));
  }

  private markerOf(tables: readonly string[]): Marker {
    const key = tables.join();
    const value = () => this.dialect.changeMarker(tables).finally(() => this.markers.delete(key));
    const marker = this.markers.get(key) ?? { readAt: performance.now(), value: value() };
    this.markers.set(key, marker);
    return marker;
  }

  private store(key: string, entry: Entry | undefined): void {
    this.bytes -= this.entries.get(key)?.remembered.content.bytes ?? 0;
    this.entries.delete(key);
    if (!entry?.remembered.content.bytes) return;
    this.entries.set(key, entry);
    this.bytes += entry.remembered.content.bytes;
    for (const [oldest, { remembered }] of this.entries) {
      if (this.bytes <= MAX_BYTES) return;
      this.entries.delete(oldest);
      this.bytes -= remembered.content.bytes;
    }
  }
}

/** Since it was proven, in milliseconds. */
function ageOf({ provenAt }: Entry): number {
  return performance.now() - provenAt;
}

function isOld({ readAt }: Entry): boolean {
  return performance.now() - readAt > REREAD_MS;
}
