import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Config } from '../../../config/config';
import { Dialect } from '../../../database/dialect';
import { WriteExecutor } from '../../../database/writes/transactions';
import { Background } from '../../../jobs/background';
import { DueRows, inFairOrder } from '../../../jobs/due-rows';
import { PollLoop } from '../../../jobs/poll-loop';
import { claimDue } from '../../../jobs/row-leases';
import { ThrottledLog } from '../../../observability/logging';
import { VERIFICATIONS_OF_ACCOUNT } from '../domain-verification.entity';
import { MAX_WAIT_MS } from '../verification-state';
import { CheckLimits } from './check-limits';
import { CheckRunner } from './check-runner';

interface DueDomain {
  /** Of the verification. */
  id: number;
  accountId: number;
  host: string;
}

/** How often to poll for domains that other processes created or left. */
const POLL_MS = 1_000;
/** While due domains wait for a slot: at least this, and this many times as long as the last cycle took, to spare a slow database. */
const [BUSY_POLL_MS, BUSY_POLL_CYCLES] = [100, 4];
/** Much longer than a check. */
const LEASE_MS = 30_000;
const TABLE = { table: 'domain_verifications', key: 'id', maxWaitMs: MAX_WAIT_MS };

/** Checks due domains in the background. */
@Injectable()
export class CheckWorker {
  private readonly warning = new ThrottledLog(new Logger(CheckWorker.name), this.clock);
  private readonly limits = new CheckLimits();
  private readonly checks = new Set<Promise<void>>();
  private readonly due = new DueRows(this.dialect, {
    ...{ table: TABLE.table, columns: 'id, account_id, host', due: 'due', indexOfAccount: VERIFICATIONS_OF_ACCOUNT },
    ...{ ofAccount: 8, maxWaitMs: MAX_WAIT_MS },
  });
  private readonly loop = new PollLoop({ cycle: () => this.cycle(), onError: (error) => this.warn(error) });

  constructor(
    private readonly runner: CheckRunner,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
    private readonly config: Config,
    background: Background,
  ) {
    background.add(this);
  }

  start(): void {
    if (this.config.domains.checks) this.loop.start();
  }

  /** Something is due now. */
  wake(): void {
    this.loop.wake();
  }

  /** Claims nothing more, and completes the checks in progress. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.checks);
  }

  /** Starts checks, and returns how long to wait before the next cycle. */
  private async cycle(): Promise<number> {
    const started = this.clock.monotonic();
    const isDone = this.limits.room(started) > 0 && (await this.claim());
    return isDone ? POLL_MS : Math.min(Math.max(BUSY_POLL_MS, BUSY_POLL_CYCLES * (this.clock.monotonic() - started)), POLL_MS);
  }

  /** Claims what has a slot. Returns false if something due was left, without a slot or to another process. */
  private async claim(): Promise<boolean> {
    const due = inFairOrder((await this.due.find<[number, number, string]>(this.clock.now())).map(toDueDomain), () => 0);
    const taken = due.filter(({ accountId, host }) => this.limits.tryTake(accountId, host, this.clock.monotonic()));
    const now = this.clock.now();
    const lease = now + LEASE_MS;
    let claimed = new Set<number>();
    try {
      const keys = taken.map(({ id }) => id);
      if (keys.length > 0)
        claimed = await this.executor.runWithRetries((statements) => claimDue(statements, this.dialect, TABLE, { keys, now, lease }));
    } finally {
      for (const domain of taken) {
        if (claimed.has(domain.id)) this.begin(domain, lease);
        else this.limits.release(domain.accountId);
      }
    }
    return claimed.size === due.length;
  }

  private begin(domain: DueDomain, lease: number): void {
    const check = this.check(domain, lease).finally(() => {
      this.checks.delete(check);
      this.limits.release(domain.accountId);
    });
    this.checks.add(check);
  }

  /** Never rejects. A check whose result can't be written is repeated when its lease has ended. */
  private async check(domain: DueDomain, lease: number): Promise<void> {
    try {
      await this.runner.run(domain, lease);
    } catch (error) {
      this.warn(error);
    }
  }

  private warn(error: unknown): void {
    this.warning.log({ message: 'Due domains could not be checked; retrying.', err: error });
  }
}

function toDueDomain([id, accountId, host]: [number, number, string]): DueDomain {
  return { id, accountId, host };
}
