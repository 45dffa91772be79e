import { createHmac, timingSafeEqual } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { invalidKey } from '../auth/challenges';
import { ApiKeysService, type Caller } from '../auth/accounts/api-keys.service';
import { EventNumbers, type LogState } from '../platform/database/events/event-numbers';
import { RequestError, type ViolationSource } from '../platform/common/errors';
import { CursorPage } from '../platform/common/records';
import type { EventQuery, EventRecord } from './event.dto';
import { EventPresenter, type EventRow, type Position } from './event-presenter';
import { EventSources } from './event-sources';
import { EventWaits } from './event-waits';

/** Rows per further query, when the caller may see too few rows of the first; takes SQLite a few milliseconds. */
const EVENTS_PER_READ = 1_000;

/** The events of an account that a key may see, in the order of the log. */
@Injectable()
export class FeedService {
  constructor(
    private readonly numbers: EventNumbers,
    private readonly sources: EventSources,
    private readonly presenter: EventPresenter,
    private readonly waits: EventWaits,
    private readonly keys: ApiKeysService,
  ) {}

  /**
   * A page of events. With `wait`, waits for an event if the page is empty: calls `onWait` first, and stops when `signal` aborts.
   * @throws RequestError 400 and 410 for `after`, 400 and 403 for `types`, 429 for too many waits, RequestError 401 for a key that
   * was revoked or has expired during the wait
   */
  async read(
    caller: Caller,
    query: EventQuery,
    { onWait, signal }: { onWait: () => void; signal: AbortSignal },
  ): Promise<CursorPage<EventRecord>> {
    const types = query.types && this.sources.resolve(query.types, caller.scopes, 'query');
    const state = await this.numbers.numberEvents();
    const start = parseStart(query.after, caller.accountId, state);
    let page = await this.readPage(caller, state, start, { ...query, types });
    if (query.wait === 0 || page.rows.length > 0) return this.present(caller, page, query);
    const wait = this.waits.begin(caller, query.wait * 1_000, signal);
    try {
      onWait();
      while (page.rows.length === 0 && (await wait.next(page.state.last)))
        page = await this.readPage(caller, await this.numbers.numberEvents(), page.next, { ...query, types });
      if (!signal.aborted && !(await this.keys.findValid(caller.keyId))) throw invalidKey();
    } finally {
      wait.end();
    }
    return this.present(caller, page, query);
  }

  /** Skips rows that the caller may not see or didn't ask for, until the page is full or the log ends. */
  private async readPage(caller: Caller, state: LogState, start: Position, { limit, types }: PageOptions): Promise<FeedPage> {
    const { last, epoch } = state;
    const rows: EventRow[] = [];
    for (let from = start, size = limit + 1; ; size = EVENTS_PER_READ) {
      const found = await this.presenter.find(caller.accountId, from, last, size);
      rows.push(...found.filter((row) => this.sources.isListed(row, types) && this.sources.isVisible(row, caller.scopes)));
      if (rows.length > limit) return { state, rows: rows.slice(0, limit), next: positionAfter(rows[limit - 1], epoch), hasMore: true };
      if (found.length < size) return { state, rows, next: { epoch, number: last + 1, id: 0 }, hasMore: false };
      from = positionAfter(found[found.length - 1], epoch);
      await yieldToEventLoop();
    }
  }

  private async present(
    caller: Caller,
    { state, rows, next, hasMore }: FeedPage,
    { include }: EventQuery,
  ): Promise<CursorPage<EventRecord>> {
    const events = await this.presenter.present(
      state,
      rows,
      include && { accountId: caller.accountId, mayRead: (scope) => caller.scopes.has(scope) },
    );
    return new CursorPage(events, encodeCursor(next, caller.accountId, state.secret), hasMore);
  }
}

interface PageOptions {
  limit: number;
  types?: ReadonlySet<string>;
}

interface FeedPage {
  state: LogState;
  rows: EventRow[];
  next: Position;
  hasMore: boolean;
}

/** @throws RequestError 400, 410 */
function parseStart(given: string, accountId: number, state: LogState): Position {
  const { last, floor, epoch } = state;
  if (given === 'latest') return { epoch, number: last + 1, id: 0 };
  if (given === 'oldest') return { epoch, number: floor + 1, id: 0 };
  return parseCursor(
    given,
    accountId,
    state,
    { in: 'query', name: 'after' },
    'oldest, latest, or `meta.next` of an earlier response to this account',
  );
}

/** The position in a cursor. @throws RequestError 400, 410 */
export function parseCursor(
  cursor: string,
  accountId: number,
  { floor, epoch, secret }: LogState,
  source: ViolationSource,
  expected: string,
): Position {
  const position = decodeCursor(cursor, accountId, secret);
  if (!position) throw RequestError.of('invalid_parameter', `${source.name} must be ${expected}.`, source);
  if (position.epoch === epoch && position.number > floor) return position;
  const detail = 'Events after this cursor are no longer kept: begin again, with after=oldest or after=latest.';
  throw RequestError.of(
    'cursor_expired',
    source.name === 'after' ? detail : 'Events after this cursor are no longer kept: give a time instead.',
    source,
  );
}

function positionAfter({ number, id }: EventRow, epoch: string): Position {
  return { epoch, number, id: id + 1 };
}

const MAC_BYTES = 16;
const CURSOR_PATTERN = /^([0-9a-f]{1,16})\.(\d{1,16})\.(\d{1,16})\.([A-Za-z0-9_-]+)$/;

/** An opaque text, valid for one account of one installation. */
function encodeCursor({ epoch, number, id }: Position, accountId: number, secret: string): string {
  const text = `${epoch}.${number}.${id}`;
  return Buffer.from(`${text}.${computeMac(text, accountId, secret).toString('base64url')}`).toString('base64url');
}

/** Undefined for a text that isn't a cursor of this account and installation. */
function decodeCursor(cursor: string, accountId: number, secret: string): Position | undefined {
  const [, epoch, number, id, mac] = CURSOR_PATTERN.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (mac === undefined) return undefined;
  const [given, expected] = [Buffer.from(mac, 'base64url'), computeMac(`${epoch}.${number}.${id}`, accountId, secret)];
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
  return isGenuine ? { epoch, number: Number(number), id: Number(id) } : undefined;
}

function computeMac(text: string, accountId: number, secret: string): Buffer {
  return createHmac('sha256', secret).update(`event cursor\0${accountId}\0${text}`).digest().subarray(0, MAC_BYTES);
}
