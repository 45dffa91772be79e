import { type Api, hasCode } from '../api/api';
import type { LiveEvent } from '../live/live-feed';

export const MAX_EVENTS = 500;
const PAGE_SIZE = 1_000;
const MAX_PAGES = 4;

interface ReadRange {
  /** Newest first. */
  events: readonly LiveEvent[];
  next: string;
  hasMore: boolean;
}

export interface RecentEvents {
  /** Newest first, at most `MAX_EVENTS`. */
  events: readonly LiveEvent[];
  /** Set if there were too many events to read at once: older events were read up to this time, and `events` begin when the page was opened. */
  readUntil: string | undefined;
}

/**
 * Reads the newest events of the feed. The feed can only be read forwards, so reading begins at the oldest event and continues with the
 * cursor; if that takes too many pages, it begins at the present instead.
 */
export class EventReader {
  private events: readonly LiveEvent[] = [];
  private next = 'oldest';
  /** The range read from the oldest event on, before reading skipped to the present. */
  private skipped: ReadRange | undefined;

  constructor(
    private readonly api: Api,
    private readonly types: string | undefined,
  ) {}

  /** Reads the events since the last read. */
  async read(signal: AbortSignal): Promise<RecentEvents> {
    try {
      const range = await this.advance(this.next, signal);
      if (!range.hasMore) return this.keep([...range.events, ...this.events], range.next);
      const { next } = await this.advance('latest', signal);
      this.keep([], next);
      this.skipped = range;
      return this.recent();
    } catch (error) {
      if (!hasCode(error, 'cursor_expired')) throw error;
      this.keep([], 'oldest');
      this.skipped = undefined;
      return this.read(signal);
    }
  }

  /** Continues reading where `read` skipped to the present. */
  async readOn(signal: AbortSignal): Promise<RecentEvents> {
    if (!this.skipped) return this.read(signal);
    const stretch = await this.advance(this.skipped.next, signal);
    const events = [...stretch.events, ...this.skipped.events].slice(0, MAX_EVENTS);
    this.skipped = stretch.hasMore ? { ...stretch, events } : undefined;
    return stretch.hasMore ? this.recent() : this.keep(events, stretch.next);
  }

  private async advance(from: string, signal: AbortSignal): Promise<ReadRange> {
    let stretch: ReadRange = { events: [], next: from, hasMore: true };
    for (let page = 0; page < MAX_PAGES && stretch.hasMore; page++) {
      const query = { after: stretch.next, limit: PAGE_SIZE, ...(this.types && { types: this.types }) };
      const { data, meta } = await this.api.get('/api/events', { query, signal });
      const events = [...data.toReversed(), ...stretch.events].slice(0, MAX_EVENTS);
      stretch = { events, next: meta.next, hasMore: meta.has_more };
    }
    signal.throwIfAborted();
    return stretch;
  }

  private keep(events: readonly LiveEvent[], next: string): RecentEvents {
    this.events = events.slice(0, MAX_EVENTS);
    this.next = next;
    return this.recent();
  }

  private recent(): RecentEvents {
    return { events: this.events, readUntil: this.skipped && (this.skipped.events[0]?.datetime ?? '') };
  }
}

const readers = new WeakMap<Api, Map<string, EventReader>>();

/** One reader for each set of types, kept until the key is signed out. */
export function getReader(api: Api, types = ''): EventReader {
  const known = readers.get(api) ?? new Map<string, EventReader>();
  readers.set(api, known);
  const reader = known.get(types) ?? new EventReader(api, types || undefined);
  known.set(types, reader);
  return reader;
}
