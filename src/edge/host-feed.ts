import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DomainChanges, MAX_GAP_MS } from '../domains/changes/domain-changes';
import { LiveDomains } from '../domains/live-domains';
import { ThrottledLog } from '../observability/logging';
import { EdgeMetrics } from './edge-metrics';
import type { MessageToThread } from './messages';

/** A change shows within 2 s, at every process. */
const POLL_MS = 500;
/** Some milliseconds of either thread's time. */
const LOAD_BATCH = 1_000;
/** Each number stands for up to 500 changes. */
const NUMBERS = 20;

type Post = (message: MessageToThread) => void;

/**
 * Tells the edge's thread which hosts are live: loads all, then follows the changes. One step after another, so that what was read before
 * a change is never posted after it.
 */
@Injectable()
export class HostFeed {
  private readonly warning = new ThrottledLog(new Logger(HostFeed.name), this.clock);
  private readonly stopping = new AbortController();
  private running?: Promise<void>;
  /** The number of the last change that was posted; undefined before the first load. */
  private position?: number;
  /** Where the load goes on; undefined when all are loaded. */
  private loadFrom?: number;
  private synced = { monotonic: 0, wall: 0 };

  constructor(
    private readonly live: LiveDomains,
    private readonly changes: DomainChanges,
    private readonly metrics: EdgeMetrics,
    private readonly clock: Clock,
  ) {}

  start(post: Post): void {
    this.running ??= this.run(post);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(post: Post): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isBehind = await this.step(post).catch((error: unknown) => this.warn(error));
      if (isBehind)
        await nextTurn(); // the embedded database answers within a turn
      else await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whether there is more to load. @throws QueryFailedError; the next step goes on where this one was */
  private async step(post: Post): Promise<boolean> {
    const last = await this.changes.number();
    if (this.position === undefined || last < this.position || this.hasGap()) this.startOver(last, post);
    await this.follow(last, post);
    if (this.loadFrom !== undefined) await this.loadBatch(this.loadFrom, post);
    this.synced = { monotonic: this.clock.monotonic(), wall: this.clock.now() };
    this.metrics.noteSync();
    post({ type: 'synced' });
    return this.loadFrom !== undefined;
  }

  /** By both clocks: the monotonic one stops while a machine sleeps, the other may be set. */
  private hasGap(): boolean {
    return Math.max(this.clock.monotonic() - this.synced.monotonic, this.clock.now() - this.synced.wall) > MAX_GAP_MS;
  }

  /** At first, after a gap, and with lower numbers than before: the database is a restored backup. */
  private startOver(last: number, post: Post): void {
    this.position = last;
    this.loadFrom = 0;
    post({ type: 'reset' });
  }

  private async follow(last: number, post: Post): Promise<void> {
    while (this.position !== undefined && this.position < last) {
      const to = Math.min(this.position + NUMBERS, last);
      post({ type: 'changes', changes: await this.live.findChanged(this.position, to) });
      this.position = to;
    }
  }

  private async loadBatch(from: number, post: Post): Promise<void> {
    const { domains, next } = await this.live.load(from, LOAD_BATCH);
    this.loadFrom = next;
    post({ type: 'domains', domains, isLast: next === undefined });
  }

  private warn(error: unknown): false {
    this.warning.log({ message: 'The edge could not read changes.', err: error });
    return false;
  }
}
