import { setTimeout as sleep } from 'node:timers/promises';
import { driverError } from '../dialect';

const RETRY_MILLISECONDS = 20;

/**
 * Runs a statement once no other process writes; throws after the limit. Not for a prepared statement: one that has met
 * SQLITE_BUSY stays open, and as long as it does, no later write of its connection is committed.
 */
export async function retryWhileBusy(statement: () => void, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    try {
      return statement();
    } catch (error) {
      const isBusy = String(driverError(error).code).startsWith('SQLITE_BUSY'); // SQLITE_BUSY_SNAPSHOT and SQLITE_BUSY_RECOVERY, too
      if (!isBusy || Date.now() > deadline) throw error;
      await sleep(RETRY_MILLISECONDS);
    }
  }
}

/** A mutex, first come, first served. Waiting is bounded in time. */
export class Mutex {
  private readonly waiting = new Set<() => void>();
  private isTaken = false;

  constructor(private readonly milliseconds: number) {}

  /** Resolves when it is the caller's turn, and false when the wait was too long. */
  acquire(): boolean | Promise<boolean> {
    if (this.isTaken) return this.wait();
    this.isTaken = true;
    return true;
  }

  release(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.isTaken = false;
  }

  private wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isMine: boolean) => {
        this.waiting.delete(go);
        clearTimeout(timer);
        resolve(isMine);
      };
      const go = () => settle(true);
      const timer = setTimeout(() => settle(false), this.milliseconds);
      this.waiting.add(go);
    });
  }
}
