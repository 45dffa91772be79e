import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

/** Work done in the background, apart from requests. */
interface BackgroundWork {
  start(): void;
  /** Starts nothing more, and resolves once work in progress has ended. */
  stop(): Promise<void>;
}

/** Starts all background work when the process listens, and ends it at SIGTERM. */
@Injectable()
export class Background implements BeforeApplicationShutdown {
  private readonly works: BackgroundWork[] = [];

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
