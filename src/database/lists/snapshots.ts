import { Injectable } from '@nestjs/common';
import { Dialect } from '../dialect';
import { CHECK_MS, type ListState, ListStates, MAX_AGE_MS, REBUILD_MS } from './list-state';
import type { ListSource } from './ordered-list';

/** Between two passes for a snapshot, in durations of the first: lists that change all the time are not walked all the time. */
const REST = 5;
const MAX_PASSES = 10_000;
/** Of all snapshots of a process. */
const MAX_BYTES = 96 * 2 ** 20;

export interface Sized {
  readonly bytes: number;
}

/** What a pass over a list found. */
export interface Snapshot<T> {
  readonly content: T;
  /** Holds for as long as this is the list's state. */
  readonly state: ListState;
}

interface Entry extends Snapshot<Sized> {
  readonly source: ListSource;
  readonly marker: string | undefined;
  readonly build: () => Promise<Sized | undefined>;
  /** By the monotonic clock. */
  readonly builtAt: number;
  /** When no other software had written yet. */
  provenAt: number;
  check?: Promise<boolean>;
}

/** Remembers what passes over large lists found, until the lists change. Passes run in the background, one at a time. */
@Injectable()
export class Snapshots {
  private readonly entries = new Map<string, Entry>();
  /** When the next pass may begin, by the monotonic clock. */
  private readonly rests = new Map<string, number>();
  private readonly pending = new Map<string, Promise<void>>();
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly dialect: Dialect,
    private readonly states: ListStates,
  ) {}

  /** Undefined when there is none, or it may be outdated. The caller compares the state with the list's. */
  async get<T extends Sized>(key: string): Promise<Snapshot<T> | undefined> {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry); // the last to be evicted
    if (ageOf(entry) > MAX_AGE_MS) await this.check(key, entry);
    else if (ageOf(entry) > CHECK_MS) this.check(key, entry).catch(() => undefined);
    return ageOf(entry) > MAX_AGE_MS ? undefined : (entry as Snapshot<Sized> as Snapshot<T>);
  }

  /**
   * Builds it in the background, unless it is current or was built a moment ago; undefined content is not kept. Resolves at the end.
   * Failures are left to the next request.
   */
  build(key: string, source: ListSource, build: () => Promise<Sized | undefined>): Promise<void> {
    const pending = this.pending.get(key);
    if (pending || performance.now() < (this.rests.get(key) ?? 0)) return pending ?? Promise.resolve();
    this.last = this.last
      .then(() => this.load(key, source, build))
      .catch(() => undefined)
      .finally(() => this.pending.delete(key));
    this.pending.set(key, this.last);
    return this.last;
  }

  /** Unless it has been built anew. */
  forget(key: string, snapshot: Snapshot<Sized>): void {
    if (this.entries.get(key) === snapshot) this.entries.delete(key);
  }

  private async load(key: string, source: ListSource, build: () => Promise<Sized | undefined>): Promise<void> {
    const old = this.entries.get(key);
    if (old && !isOld(old) && (await this.states.isCurrent(old.state)) && (ageOf(old) < CHECK_MS || (await this.prove(old)))) return;
    const start = performance.now();
    try {
      await this.pass(key, source, build);
    } finally {
      this.rest(key, performance.now() - start); // also of a pass that always fails, by a time limit for example
    }
  }

  private async pass(key: string, source: ListSource, build: () => Promise<Sized | undefined>): Promise<void> {
    const builtAt = performance.now();
    const marker = await this.dialect.changeMarker(source.tables);
    const state = await this.states.read(source);
    const content = state && (await build());
    this.entries.delete(key);
    if (!state || !content || !(await this.states.isCurrent(state))) return;
    const entry = { content, state, source, marker, build, builtAt, provenAt: builtAt };
    await this.prove(entry); // of what takes long, too
    this.entries.set(key, entry);
    this.evict();
  }

  private rest(key: string, duration: number): void {
    if (this.rests.size >= MAX_PASSES) this.rests.clear();
    this.rests.set(key, performance.now() + REST * duration);
  }

  /** Builds anew what is old, or what other software may have changed. */
  private async check(key: string, entry: Entry): Promise<void> {
    entry.check ??= this.prove(entry).finally(() => (entry.check = undefined));
    if (!(await entry.check) || isOld(entry)) void this.build(key, entry.source, entry.build);
  }

  /** Whether no software has written to the tables since the pass began. */
  private async prove(entry: Entry): Promise<boolean> {
    const now = performance.now();
    const marker = await this.dialect.changeMarker(entry.source.tables);
    if (marker === undefined || marker !== entry.marker) return false;
    entry.provenAt = now;
    return true;
  }

  private evict(): void {
    let bytes = [...this.entries.values()].reduce((sum, { content }) => sum + content.bytes, 0);
    for (const [key, { content }] of this.entries) {
      if (bytes <= MAX_BYTES) return;
      this.entries.delete(key);
      bytes -= content.bytes;
    }
  }
}

/** Since it was proven, in milliseconds. */
function ageOf({ provenAt }: Entry): number {
  return performance.now() - provenAt;
}

function isOld({ builtAt }: Entry): boolean {
  return performance.now() - builtAt > REBUILD_MS;
}
