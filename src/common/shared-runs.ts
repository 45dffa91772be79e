/** Shares runs of a task: callers that arrive during a run share the next one, which sees their writes. */
export class SharedRuns<T> {
  private readonly running = new Map<string, Promise<T>>();
  private readonly next = new Map<string, Promise<T>>();

  isRunning(key: string): boolean {
    return this.running.has(key);
  }

  run(key: string, task: () => Promise<T>): Promise<T> {
    const running = this.running.get(key);
    if (!running) return this.start(key, task);
    const next = this.next.get(key) ?? this.startAfter(running, key, task);
    this.next.set(key, next);
    return next;
  }

  private start(key: string, task: () => Promise<T>): Promise<T> {
    const run = task().finally(() => this.running.delete(key));
    this.running.set(key, run);
    return run;
  }

  private async startAfter(running: Promise<T>, key: string, task: () => Promise<T>): Promise<T> {
    await running.catch(() => undefined);
    this.next.delete(key);
    return this.start(key, task);
  }
}
