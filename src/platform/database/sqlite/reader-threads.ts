import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { QueryFailedError } from 'typeorm';
import type { DatabaseFile } from './database-file';
import { bindValues } from './statements';
import type { ThreadQuery, ThreadResult } from './reader-thread';

/** Two, so that one account's long read doesn't block the other accounts. */
const MAX_THREADS = 2;

/** Error code when a thread can't start or dies, for example for lack of file descriptors (EMFILE): a later request may succeed. */
const THREAD_ERROR_CODE = 'SQLITE_CANTOPEN';

interface ReadTask {
  readonly accountId: number | null;
  readonly query: ThreadQuery;
  /** Waits for running queries to end; no other query starts until this one has ended. */
  readonly isExclusive: boolean;
  resolve(rows: unknown): void;
  reject(error: Error): void;
}

/** Runs long reads in threads, started on demand: one at a time per account, round robin among accounts. */
export class ReaderThreads {
  private readonly threads = new Set<Worker>();
  private readonly runningTasks = new Map<Worker, ReadTask>();
  private waitingTasks: ReadTask[] = [];
  private isEnding = false;

  constructor(private readonly file: DatabaseFile) {}

  /** `isExclusive`: runs the query next, and no other at the same time. @throws QueryFailedError */
  read(accountId: number | null, query: ThreadQuery, isExclusive = false): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const task = { accountId, query: { ...query, values: bindValues(query.values) }, isExclusive, resolve, reject };
      this.waitingTasks[isExclusive ? 'unshift' : 'push'](task);
      this.runNext();
    });
  }

  /** Waits for running queries and rejects queued ones. */
  async end(): Promise<void> {
    this.isEnding = true;
    for (const task of this.waitingTasks.splice(0)) task.reject(new Error('The database is being closed.'));
    await Promise.all([...this.threads].map((thread) => this.endThread(thread)));
  }

  private async endThread(thread: Worker): Promise<void> {
    const exited = once(thread, 'exit').catch(() => undefined); // rejects for a thread that crashes
    thread.ref();
    thread.postMessage('end');
    await exited;
  }

  private runNext(): void {
    const running = [...this.runningTasks.values()];
    if (running.length === MAX_THREADS || running.some(({ isExclusive }) => isExclusive)) return;
    if (this.waitingTasks[0]?.isExclusive && running.length > 0) return;
    const next = this.waitingTasks.find(({ accountId }) => running.every((task) => task.accountId !== accountId));
    if (!next) return;
    const rest = this.waitingTasks.filter((task) => task !== next);
    const isSameAccount = ({ accountId, isExclusive }: ReadTask) => accountId === next.accountId && !isExclusive;
    this.waitingTasks = [...rest.filter((task) => !isSameAccount(task)), ...rest.filter(isSameAccount)]; // moves the account's tasks behind the others'
    this.run(next);
    this.runNext();
  }

  private run(task: ReadTask): void {
    try {
      this.file.requireInPlace(); // a new thread would open another file, or create one
      const thread = [...this.threads].find((each) => !this.runningTasks.has(each)) ?? this.start();
      this.runningTasks.set(thread, task);
      thread.ref();
      thread.postMessage(task.query);
    } catch (error) {
      task.reject(failureOf(task, error as NodeJS.ErrnoException));
    }
  }

  /** A crash fails the thread's query; the next query starts another thread. */
  private start(): Worker {
    const thread = new Worker(require.resolve('./reader-thread'), { name: 'reader', workerData: this.file.path });
    this.threads.add(thread);
    thread.on('message', (result: ThreadResult) => {
      this.settle(thread, result);
      this.runNext();
    });
    thread.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      this.threads.delete(thread); // the `exit` event follows, and starts the next query
      this.settle(thread, { error: { message, code } });
    });
    thread.on('exit', (code) => {
      this.threads.delete(thread);
      this.settle(thread, { error: { message: `The reader thread exited with ${code}.` } });
      this.runNext();
    });
    return thread;
  }

  private settle(thread: Worker, result: ThreadResult): void {
    const task = this.runningTasks.get(thread);
    if (!task) return;
    this.runningTasks.delete(thread);
    if (!this.isEnding) thread.unref(); // `end` waits for its exit
    if ('rows' in result) return task.resolve(result.rows);
    task.reject(failureOf(task, result.error));
  }
}

function failureOf({ query }: ReadTask, { message, code = '' }: { message: string; code?: string }): QueryFailedError {
  const sqliteCode = code.startsWith('SQLITE_') ? code : THREAD_ERROR_CODE;
  return new QueryFailedError(query.sql, [], Object.assign(new Error(message), { code: sqliteCode }));
}
