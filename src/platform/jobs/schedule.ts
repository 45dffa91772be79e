import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { InjectRepository } from '@nestjs/typeorm';
import type { Counter } from 'prom-client';
import { Column, Entity, type FindOptionsWhere, In, MoreThan, PrimaryColumn, type Repository } from 'typeorm';
import { Clock } from '../common/clock';
import { MINUTE_MS } from '../common/time';
import { WriteExecutor } from '../database/writes/transactions';
import { Metrics } from '../observability/metrics';
import { ThrottledLog } from '../observability/logging';
import { Background, PollLoop } from './background';
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
const POLL_INTERVAL_MS = MINUTE_MS;
/** Renewed while the job runs, so only a dead process's lease lapses. */
const LEASE_MS = 2 * MINUTE_MS;
/** Wait after a failure; doubles with each further one, up to the job's interval. */
const FIRST_BACKOFF_MS = MINUTE_MS;
/** How long `stop` waits for jobs that ignore the abort signal. */
const STOP_TIMEOUT_MS = 9_000;

interface ScheduledMethod extends JobOptions {
  run: JobMethod;
}

/** Runs the methods that are marked with `@Job`: each in one process at a time, under a lease that is renewed while it runs. */
@Injectable()
export class Schedule implements OnApplicationBootstrap, OnModuleInit {
  private readonly logger = new Logger(Schedule.name);
  private readonly warning: ThrottledLog;
  private readonly jobs = new Map<string, ScheduledMethod>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  readonly loop = new PollLoop({
    cycle: () => this.cycle(),
    onError: (error) => this.warning.log({ message: 'Due jobs could not be read.', err: error }),
  });
  private readonly runCounter?: Counter<'result' | 'job'>;
  private rowsAdded?: Promise<void>;
  readonly name = 'jobs';

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    @InjectRepository(ScheduledJob) private readonly rows: Repository<ScheduledJob>,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
    metrics: Metrics,
    private readonly background: Background,
  ) {
    this.warning = new ThrottledLog(this.logger, clock);
    this.runCounter = metrics.counter('frontdesk_job_runs_total', 'Scheduled job runs, by result.', ['job', 'result']);
  }

  onModuleInit(): void {
    this.background.add(this);
  }

  onApplicationBootstrap(): void {
    this.findJobs();
  }

  start(): void {
    this.loop.start();
  }

  /** Takes no account: jobs don't belong to accounts. */
  async nextDue(): Promise<number> {
    if (this.loop.state === 'off' || this.jobs.size === 0) return Infinity;
    const due = await this.rows.minimum('due', { name: In([...this.jobs.keys()]) });
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

  /** Starts the due jobs, and returns the milliseconds until the next one is due, at most POLL_INTERVAL_MS. */
  private async cycle(): Promise<number> {
    if (this.jobs.size === 0) return POLL_INTERVAL_MS;
    this.rowsAdded ??= this.addRows().catch((error: unknown) => {
      this.rowsAdded = undefined;
      throw error;
    });
    await this.rowsAdded;
    const rows = await this.rows.findBy({ name: In([...this.jobs.keys()]) });
    const now = this.clock.now();
    let next = now + POLL_INTERVAL_MS;
    for (const row of rows) {
      const job = this.jobs.get(row.name)!;
      if (row.due > now) next = Math.min(next, row.due);
      else if (!this.running.has(job.name)) this.startJob(job, row);
    }
    return next - now;
  }

  private async addRows(): Promise<void> {
    const now = this.clock.now();
    for (const { name, atStart } of this.jobs.values()) {
      await this.executor.run(({ manager }) =>
        manager.createQueryBuilder().insert().into(ScheduledJob).values({ name, due: now, failures: 0 }).orIgnore().execute(),
      );
      if (atStart) await this.update({ name, due: MoreThan(now + LEASE_MS) }, { due: now }); // unless the job is running
    }
  }

  private startJob(job: ScheduledMethod, row: ScheduledJob): void {
    const run = this.run(job, row)
      .catch((error: unknown) => this.warning.log({ message: 'A job could not be scheduled.', job: job.name, err: error }, job.name))
      .finally(() => this.running.delete(job.name));
    this.running.set(job.name, run);
  }

  private async run(job: ScheduledMethod, { name, due, failures }: ScheduledJob): Promise<void> {
    const startedAt = this.clock.now();
    let lease = startedAt + LEASE_MS;
    if (!(await this.update({ name, due }, { due: lease }))) return;

    const leaseLost = new AbortController();
    const renew = async () => {
      const next = Math.max(this.clock.now() + LEASE_MS, lease + 1);
      if (await this.update({ name, due: lease }, { due: next })) lease = next;
      else leaseLost.abort();
    };
    let renewal = Promise.resolve();
    const timer = setInterval(() => void (renewal = renew().catch(() => undefined)), LEASE_MS / 4);
    const result = await this.attempt(job, AbortSignal.any([this.stopping.signal, leaseLost.signal]));
    clearInterval(timer);
    await renewal;
    this.runCounter?.inc({ job: name, result });
    const now = this.clock.now();
    const updates = {
      done: { due: Math.max(now, startedAt + job.everyMs), failures: 0 },
      stopped: { due: now },
      failed: { due: now + Math.min(job.everyMs, FIRST_BACKOFF_MS * 2 ** failures), failures: failures + 1 },
    };
    await this.update({ name, due: lease }, updates[result]);
    this.loop.wake(); // the job may be due again before the next poll
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

  /** Returns false if no row matches, because another process has since claimed the job. */
  private async update(where: FindOptionsWhere<ScheduledJob>, values: Partial<ScheduledJob>): Promise<boolean> {
    const { affected } = await this.executor.run(({ manager }) => manager.update(ScheduledJob, where, values));
    return Boolean(affected);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
    await Promise.race([Promise.all(this.running.values()), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }
}
