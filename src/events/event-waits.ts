import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../auth/accounts/api-keys.service';
import { Semaphore } from '../platform/common/concurrency';
import { Clock } from '../platform/common/clock';
import { Dialect } from '../platform/database/dialect';
import { EventNumbers } from '../platform/database/events/event-numbers';
import { RequestError } from '../platform/common/errors';
import { Shutdown } from '../platform/http/server/http-server';
import { PollLoop } from '../platform/jobs/background';
import { ThrottledLog } from '../platform/observability/logging';
import { Metrics } from '../platform/observability/metrics';

/** Poll interval, shared by all waits of the process. A commit by any process is seen within one interval and a query. */
const POLL_MS = 150;
const [MAX_WAITS, MAX_WAITS_PER_ACCOUNT, MAX_WAITS_PER_KEY] = [1_000, 16, 8];
const FIND_ACCOUNTS = 'SELECT DISTINCT account_id FROM events WHERE number > ? AND number <= ?';

/** `next` resolves to true once the account has events after `last`, or to false when the wait ends. */
export interface EventWait {
  next(last: number): Promise<boolean>;
  end(): void;
}

interface PendingWait {
  accountId: number;
  wake: (hasNews: boolean) => void;
}

/** Requests that wait for an event. They hold neither a database connection nor an admission slot. */
@Injectable()
export class EventWaits implements OnModuleInit {
  private readonly warning: ThrottledLog;
  private readonly accountSlots = new Semaphore(MAX_WAITS, { maxPerAccount: MAX_WAITS_PER_ACCOUNT });
  private readonly keySlots = new Semaphore(MAX_WAITS, { maxPerAccount: MAX_WAITS_PER_KEY });
  private readonly pendingWaits = new Set<PendingWait>();
  /** The last event number that the waits have been checked for. */
  private lastPolled = 0;
  private readonly loop = new PollLoop({
    cycle: () => this.poll(),
    onError: (error) =>
      this.warning.log({ message: 'Events could not be read for the requests that wait for them; retrying.', err: error }),
    retryMs: POLL_MS,
  });

  constructor(
    private readonly dialect: Dialect,
    private readonly numbers: EventNumbers,
    private readonly shutdown: Shutdown,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.warning = new ThrottledLog(new Logger(EventWaits.name), clock);
    metrics.gauge('frontdesk_event_waits', 'Requests that wait for an event.', () => this.accountSlots.inUse);
  }

  onModuleInit(): void {
    this.shutdown.onDrain(() => this.endAll());
  }

  /** Begins a wait, which ends after `ms`, with the signal, or at shutdown. Call `end` in any case. @throws RequestError 429 */
  begin({ accountId, keyId }: Caller, ms: number, signal: AbortSignal): EventWait {
    if (!this.keySlots.isBelowLimit(keyId) || !this.accountSlots.tryAcquire(accountId)) throw tooManyWaits();
    this.keySlots.take(keyId);
    const end = this.clock.monotonic() + ms;
    return {
      next: (last) => this.wait(accountId, last, end - this.clock.monotonic(), signal),
      end: () => {
        this.accountSlots.release(accountId);
        this.keySlots.release(keyId);
      },
    };
  }

  private wait(accountId: number, last: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (ms <= 0 || signal.aborted || this.shutdown.isDraining) return Promise.resolve(false);
    return new Promise((resolve) => {
      const wake = (hasNews: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.pendingWaits.delete(waiting);
        resolve(hasNews);
      };
      const abort = () => wake(false);
      const waiting = { accountId, wake };
      const timer = setTimeout(abort, ms);
      signal.addEventListener('abort', abort);
      this.lastPolled = this.pendingWaits.size === 0 ? last : Math.min(this.lastPolled, last);
      this.pendingWaits.add(waiting);
      this.loop.start();
      this.loop.wake();
    });
  }

  /** Pauses first, even when woken, so that waits in quick succession share queries. */
  private async poll(): Promise<number> {
    await sleep(POLL_MS);
    if (this.pendingWaits.size === 0) return Infinity;
    const from = this.lastPolled;
    const { last } = await this.numbers.numberEvents();
    if (last <= from) return 0;
    const rows = await this.dialect.read<[accountId: number]>(FIND_ACCOUNTS, [from, last]);
    const accounts = new Set(rows.flat());
    for (const { accountId, wake } of [...this.pendingWaits]) if (accounts.has(accountId)) wake(true);
    if (this.lastPolled === from) this.lastPolled = last; // unless a wait for an earlier number has started meanwhile
    return 0;
  }

  private endAll(): void {
    void this.loop.stop();
    for (const { wake } of [...this.pendingWaits]) wake(false);
  }
}

function tooManyWaits(): RequestError {
  const detail = `${MAX_WAITS_PER_ACCOUNT} requests per account may wait for events at once, ${MAX_WAITS_PER_KEY} per key. Try again, or omit wait.`;
  return RequestError.of('rate_limited', detail, { in: 'query', name: 'wait' }, { 'Retry-After': '1' });
}
