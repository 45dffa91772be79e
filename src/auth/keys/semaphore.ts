import { RequestError } from '../../http/errors/request-error';

const MAX_WAITING = 1_000;

/** A semaphore with a bounded FIFO queue. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** @throws RequestError 503 unavailable when the queue is full */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.waiting.length >= MAX_WAITING) throw RequestError.unavailable('Too many keys are being looked up. Try again.');
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
