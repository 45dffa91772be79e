import type { components, paths } from './schema.js';

export type FrontdeskEvent = components['schemas']['EventRecord'];
export type EventQuery = NonNullable<paths['/api/events']['get']['parameters']['query']>;

export interface EventOptions {
  /** `oldest` (the default), `latest`, or a cursor. */
  after?: string;
  /** Types, each whole or `<noun>.*`; all by default. */
  types?: readonly string[];
  /** `record` adds the record as it is now. */
  include?: 'record';
  signal?: AbortSignal;
}

interface EventPage {
  data: FrontdeskEvent[];
  meta: components['schemas']['EventPageMeta'];
}

/** The service's maximum for `wait`. */
const LONGEST_WAIT_S = 30;

/** Iterates over events as they happen, indefinitely. */
export class EventFeed implements AsyncIterable<FrontdeskEvent> {
  private position: string;
  private readonly wait: number;

  constructor(
    private readonly read: (query: EventQuery) => Promise<EventPage>,
    private readonly options: EventOptions,
    /** Seconds */
    timeout: number,
  ) {
    this.wait = Math.min(LONGEST_WAIT_S, Math.max(1, Math.floor(timeout / 2)));
    this.position = options.after ?? 'oldest';
  }

  /**
   * Cursor to resume from. Moves on with the last event of a page; until then, stays at the page's beginning, so that a restart repeats
   * events rather than losing any.
   */
  get cursor(): string {
    return this.position;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FrontdeskEvent, void, undefined> {
    if (this.position === 'latest') await this.resolveLatest();
    for (;;) {
      const { data, meta } = await this.read({ ...this.query(), wait: this.wait });
      for (const [index, event] of data.entries()) {
        if (index === data.length - 1) this.position = meta.next;
        yield event;
      }
      this.position = meta.next;
    }
  }

  /** Replaces `latest` with its current cursor, so that reconnecting skips no events. */
  private async resolveLatest(): Promise<void> {
    this.position = (await this.read({ ...this.query(), wait: 0 })).meta.next;
  }

  private query(): EventQuery {
    const { types, include } = this.options;
    return { after: this.position, ...(types && { types: types.join(',') }), ...(include && { include }) };
  }
}
