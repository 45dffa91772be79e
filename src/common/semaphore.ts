/** A semaphore with a FIFO queue. */
export class Semaphore {
  private readonly waiting = new Set<() => void>();

  constructor(
    private free: number,
    private readonly limits: { maxWaiting?: number; timeoutMs?: number },
  ) {}

  /** False when the queue is full, or on timeout. */
  acquire(): boolean | Promise<boolean> {
    const { maxWaiting = Infinity, timeoutMs } = this.limits;
    if (this.free > 0) {
      this.free--;
      return true;
    }
    if (this.waiting.size >= maxWaiting) return false;
    return new Promise((resolve) => {
      const settle = (isAcquired: boolean) => {
        this.waiting.delete(grant);
        clearTimeout(timer);
        resolve(isAcquired);
      };
      const grant = () => settle(true);
      const timer = timeoutMs === undefined ? undefined : setTimeout(settle, timeoutMs, false);
      this.waiting.add(grant);
    });
  }

  release(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.free++;
  }
}
