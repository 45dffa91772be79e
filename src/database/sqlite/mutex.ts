/** A fair mutex whose `acquire` times out. */
export class Mutex {
  private readonly waiting = new Set<() => void>();
  private isHeld = false;

  constructor(private readonly timeoutMs: number) {}

  /** Resolves to false on timeout. */
  acquire(): boolean | Promise<boolean> {
    if (!this.isHeld) return (this.isHeld = true);
    return new Promise((resolve) => {
      const settle = (isAcquired: boolean) => {
        this.waiting.delete(grant);
        clearTimeout(timer);
        resolve(isAcquired);
      };
      const grant = () => settle(true);
      const timer = setTimeout(settle, this.timeoutMs, false);
      this.waiting.add(grant);
    });
  }

  release(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.isHeld = false;
  }
}
