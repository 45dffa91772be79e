import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { PollLoop } from './poll-loop';

/** Work done in the background, apart from requests. */
export interface BackgroundWork {
  start(): void;
  /** Starts nothing more, and resolves once work in progress has ended. */
  stop(): Promise<void>;
  readonly loop: PollLoop;
  /**
   * When work is due, of one account or of all: milliseconds since 1970, 0 while some is in progress, infinite if none will be. Reads first
   * and looks at work in progress last, since a cycle turns the one into the other.
   */
  nextDue(accountId?: number): Promise<number>;
}

/** Starts all background work when the process listens, and ends it at SIGTERM. */
@Injectable()
export class Background implements BeforeApplicationShutdown {
  readonly works: BackgroundWork[] = [];

  add(work: BackgroundWork): void {
    this.works.push(work);
  }

  start(): void {
    for (const work of this.works) work.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.works.map((work) => work.stop()));
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}
