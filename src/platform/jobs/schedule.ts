import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Clock } from '../common/clock';
import { HOUR_MS, MINUTE_MS, notBeyond } from '../common/time';
import { Dialect } from '../database/dialect';
import { inList } from '../database/value-lists';
import { WriteExecutor } from '../database/writes/transactions';
import { Metrics } from '../observability/metrics';
import { ThrottledLog } from '../observability/logging';
import { Background, PollLoop } from './background';
import { claimDue } from './due-rows';
import { type JobMethod, type JobOptions, jobOptionsOf } from './job.decorator';

/** When a job runs next, in any process. */
@Entity('scheduled_jobs')
export class ScheduledJob {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  name: string;

  /** Milliseconds since 1970; while the job runs, the end of its lease. */
  @Column({ type: 'bigint' })
  due: number;

  /** Failed runs in a row. */
  @Column({ type: 'int' })
  failures: number;
}

/** How often to check for jobs that other processes abandoned. */
const POLL_MS = MINUTE_MS;
/** Renewed while the job runs, so only a dead process's lease lapses. */
const LEASE_MS = 2 * MINUTE_MS;
/** Wait after a failure; doubles with each further one, up to the job's interval. */
const BACKOFF_MS = MINUTE_MS;
/** How long `stop` waits for jobs that ignore the abort signal. */
const STOP_MS = 9_000;

const ADD = 'INSERT INTO scheduled_jobs (name, due, failures) VALUES (?, ?, 0)';
const HASTEN = 'UPDATE scheduled_jobs SET due = ? WHERE name = ? AND due > ?';
const RENEW = 'UPDATE scheduled_jobs SET due = ? WHERE name = ? AND due = ?';
const END = 'UPDATE scheduled_jobs SET due = ?, failures = ? WHERE name = ? AND due = ?';

interface ScheduledMethod extends JobOptions {
  run: JobMethod;
}

/** Runs the methods that are marked with `@Job`: each in one process at a time, under a lease that is renewed while it runs. */
@Injectable()
export class Schedule implements OnApplicationBootstrap {
  private readonly logger = new Logger(Schedule.name);
  private readonly warning = new ThrottledLog(this.logger, this.clock);
  private readonly jobs = new Map<string, ScheduledMethod>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  readonly loop = new PollLoop({
    cycle: () => this.cycle(),
    onError: (error) => this.warning.log({ message: 'Due jobs could not be read.', err: error }),
  });
  private readonly runs = this.metrics.counter('frontdesk_job_runs_total', 'Runs of scheduled jobs, by how they ended.', ['job', 'result']);
  private added?: Promise<void>;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    background: Background,
  ) {
    background.add(this);
  }

  onApplicationBootstrap(): void {
    this.findJobs();
  }

  start(): void {
    this.loop.start();
  }

  /** Regardless of the account: jobs belong to none. */
  async nextDue(): Promise<number> {
    if (this.loop.state === 'off' || this.jobs.size === 0) return Infinity;
    const { sql, values } = inList([...this.jobs.keys()]);
    const [[due]] = await this.dialect.read<[number | null]>(`SELECT MIN(due) FROM scheduled_jobs WHERE name IN ${sql}`, values);
    return this.running.size > 0 || this.loop.state === 'cycling' ? 0 : (due ?? 0);
  }

  /** Runs the due jobs and resolves when all running jobs have ended. */
  async runDue(): Promise<void> {
    await this.cycle();
    await Promise.all(this.running.values());
  }

  /** @throws Error when two jobs have the same name */
  private findJobs(): void {
    this.jobs.clear();
    for (const { instance } of this.discovery.getProviders() as { instance: Record<string, unknown> | null }[]) {
      if (!instance || typeof instance !== 'object') continue;
      for (const method of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) this.add(instance, method);
    }
  }

  private add(instance: Record<string, unknown>, method: string): void {
    const run = instance[method] as JobMethod;
    const options = jobOptionsOf(run);
    if (!options) return;
    if (this.jobs.has(options.name)) throw new Error(`Two jobs have the name ${options.name}.`);
    this.jobs.set(options.name, { ...options, run: run.bind(instance) });
  }

  /** Starts the due jobs, and returns the milliseconds until the next one is due, at most POLL_MS. */
  private async cycle(): Promise<number> {
    if (this.jobs.size === 0) return POLL_MS;
    this.added ??= this.addRows().catch((error: unknown) => {
      this.added = undefined;
      throw error;
    });
    await this.added;
    const { sql, values } = inList([...this.jobs.keys()]);
    const find = `SELECT name, due, failures FROM scheduled_jobs WHERE name IN ${sql}`;
    const rows = await this.dialect.read<[name: string, due: number, failures: number]>(find, values);
    const now = this.clock.now();
    let next = now + POLL_MS;
    for (const [name, due, failures] of rows) {
      const job = this.jobs.get(name)!;
      const isDue = notBeyond(due, now, maxWaitOf(job)) <= now;
      if (!isDue) next = Math.min(next, due);
      else if (!this.running.has(job.name)) this.startJob(job, failures);
    }
    return next - now;
  }

  private async addRows(): Promise<void> {
    const now = this.clock.now();
    const add = `${ADD} ${this.dialect.sql.upsertPrefix('name')} failures = scheduled_jobs.failures`;
    for (const { name, atStart } of this.jobs.values()) {
      await this.executor.run(async (statements) => {
        await statements.write(add, [name, now]);
        if (atStart) await statements.write(HASTEN, [now, name, now + LEASE_MS]); // unless it is running
      });
    }
  }

  private startJob(job: ScheduledMethod, failures: number): void {
    const run = this.run(job, failures)
      .catch((error: unknown) => this.warning.log({ message: 'A job could not be scheduled.', job: job.name, err: error }, job.name))
      .finally(() => this.running.delete(job.name));
    this.running.set(job.name, run);
  }

  private async run(job: ScheduledMethod, failures: number): Promise<void> {
    const started = this.clock.now();
    let lease = started + LEASE_MS;
    const table = { table: 'scheduled_jobs', key: 'name', maxWaitMs: maxWaitOf(job) };
    const claim = { keys: [job.name], now: started, lease };
    const claimed = await this.executor.run((statements) => claimDue(statements, this.dialect.sql, table, claim));
    if (claimed.size === 0) return;

    const lost = new AbortController();
    const renew = async () => {
      const next = Math.max(this.clock.now() + LEASE_MS, lease + 1);
      if (await this.write(RENEW, [next, job.name, lease])) lease = next;
      else lost.abort();
    };
    let renewal = Promise.resolve();
    const timer = setInterval(() => void (renewal = renew().catch(() => undefined)), LEASE_MS / 4);
    const result = await this.attempt(job, AbortSignal.any([this.stopping.signal, lost.signal]));
    clearInterval(timer);
    await renewal;
    this.runs?.inc({ job: job.name, result });
    const now = this.clock.now();
    if (result === 'done') await this.write(END, [Math.max(now, started + job.everyMs), 0, job.name, lease]);
    else if (result === 'stopped') await this.write(END, [now, failures, job.name, lease]);
    else await this.write(END, [now + Math.min(job.everyMs, BACKOFF_MS * 2 ** failures), failures + 1, job.name, lease]);
    this.loop.wake(); // it may be due again before the next poll
  }

  private async attempt(job: ScheduledMethod, signal: AbortSignal): Promise<'done' | 'stopped' | 'failed'> {
    try {
      await job.run(signal);
      return 'done';
    } catch (error) {
      if (signal.aborted) return 'stopped';
      this.logger.warn({ message: 'A job failed; it will be retried.', job: job.name, err: error });
      return 'failed';
    }
  }

  /** Returns false when the lease is lost: another process has claimed the job since. */
  private async write(sql: string, values: (string | number)[]): Promise<boolean> {
    const { affected } = await this.executor.run((statements) => statements.write(sql, values));
    return affected > 0;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
    await Promise.race([Promise.all(this.running.values()), sleep(STOP_MS, undefined, { ref: false })]);
  }
}

/** A due time further ahead than this was written by a fast clock. */
function maxWaitOf({ everyMs }: JobOptions): number {
  return everyMs + HOUR_MS;
}
