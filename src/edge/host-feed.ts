import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { DomainChanges, MAX_GAP_MS } from '../domains/domain-changes';
import { PollLoop } from '../platform/jobs/background';
import { ThrottledLog } from '../platform/observability/logging';
import { LiveHosts } from './live-hosts';

/** Poll interval; a change must reach every process within 2 s. */
const POLL_MS = 500;
/** A batch blocks the event loop for a few milliseconds. */
const HOSTS_PER_BATCH = 1_000;
/** Event numbers read per query; up to 500 events share a number. */
const NUMBERS_PER_READ = 20;

/**
 * Keeps the live hosts up to date: loads all, then follows the changes. Cycles never overlap, so stale data can't overwrite a change.
 */
@Injectable()
export class HostFeed implements BeforeApplicationShutdown {
  private readonly throttledLog: ThrottledLog;
  private readonly loop = new PollLoop({
    cycle: () => this.cycle(),
    onError: (error) => this.throttledLog.log({ message: 'The edge could not read domain changes; retrying.', err: error }),
    retryMs: POLL_MS,
  });
  private onLoaded = () => {};
  /** The number of the last change that was applied; undefined before the first load. */
  private position?: number;
  /** The position where loading continues; undefined once all hosts are loaded. */
  private loadFrom?: number;
  private lastSync = { monotonic: 0, wall: 0 };

  constructor(
    private readonly changes: DomainChanges,
    private readonly hosts: LiveHosts,
    private readonly clock: Clock,
  ) {
    this.throttledLog = new ThrottledLog(new Logger(HostFeed.name), clock);
  }

  /** Resolves once all hosts are loaded; changes are applied from then on. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.onLoaded = resolve;
      this.loop.start();
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  /** Returns the milliseconds until the next cycle. @throws QueryFailedError; the next cycle retries from the same position */
  private async cycle(): Promise<number> {
    const last = await this.changes.numberChanges();
    if (this.position === undefined || last < this.position || this.hasGap()) this.startOver(last);
    await this.applyChanges(last);
    if (this.loadFrom !== undefined) await this.loadBatch(this.loadFrom);
    this.lastSync = { monotonic: this.clock.monotonic(), wall: this.clock.now() };
    this.hosts.noteSync();
    if (this.loadFrom !== undefined) {
      await yieldToRequests();
      return 0;
    }
    this.onLoaded();
    return POLL_MS;
  }

  /** Checks both clocks: the monotonic one stops while a machine sleeps, the wall clock may be set. */
  private hasGap(): boolean {
    return Math.max(this.clock.monotonic() - this.lastSync.monotonic, this.clock.now() - this.lastSync.wall) > MAX_GAP_MS;
  }

  /** Called in the first cycle, after a gap, and if the last number has decreased, as in a restored backup. */
  private startOver(last: number): void {
    this.position = last;
    this.loadFrom = 0;
    this.hosts.reset();
  }

  private async applyChanges(last: number): Promise<void> {
    while (this.position !== undefined && this.position < last) {
      const to = Math.min(this.position + NUMBERS_PER_READ, last);
      this.hosts.apply(await this.changes.findChanged(this.position, to));
      this.position = to;
    }
  }

  private async loadBatch(from: number): Promise<void> {
    const { domains, next } = await this.changes.loadPage(from, HOSTS_PER_BATCH);
    this.loadFrom = next;
    this.hosts.add(domains, next === undefined);
  }
}
