import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { Semaphore } from '../../platform/common/concurrency';
import { MINUTE_MS, SECOND_MS } from '../../platform/common/time';
import { Config } from '../../platform/config/config';
import { Dialect } from '../../platform/database/dialect';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { inList } from '../../platform/database/value-lists';
import { Background, PollLoop } from '../../platform/jobs/background';
import { DueRows, inFairOrder } from '../../platform/jobs/due-rows';
import { ThrottledLog } from '../../platform/observability/logging';
import { Metrics } from '../../platform/observability/metrics';
import { PROBLEM_CODES, ACCOUNT_DUE_INDEX } from './domain-verification.entity';
import type { VerificationStatus } from './verification-status';
import { registrableDomain } from './dns/registrable-domain';
import { DomainCheck } from './domain-check';

/** `id` is the verification's. */
interface DueDomain {
  id: number;
  accountId: number;
  host: string;
  status: VerificationStatus;
  /** The host's registrable domain. */
  registrable: string;
}

/** How often to poll for domains that other processes created or abandoned. */
const POLL_MS = 1_000;
/** Poll interval while due domains wait for a slot: at least 100 ms, and four times the last cycle, to spare a slow database. */
const [BUSY_POLL_MS, BUSY_POLL_CYCLES] = [100, 4];
/** Lease of a check, much longer than a check takes. */
const LEASE_MS = 30_000;
/** Counts verifications by status, and by problem within each status, in one scan. */
const COUNT_VERIFICATIONS = `SELECT status, COUNT(*), ${PROBLEM_CODES.map((code) => `SUM(problems LIKE '%"code":"${code}"%')`).join(', ')}
  FROM domain_verifications GROUP BY status`;
const ALL_VERIFICATIONS = { table: 'domain_verifications', accountId: null };

/** Checks due domains in the background. */
@Injectable()
export class CheckWorker implements OnModuleInit {
  private readonly warning: ThrottledLog;
  private readonly limits = new CheckLimits();
  private readonly checks = new Map<Promise<unknown>, DueDomain>();
  private readonly due: DueRows;
  private cachedCounts?: { time: number; statuses: Record<string, number>; problems: Record<string, number> };
  readonly name = 'domain-checks';
  readonly loop = new PollLoop({ cycle: () => this.cycle(), onError: (error) => this.warn(error) });

  constructor(
    private readonly domainCheck: DomainCheck,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly background: Background,
    metrics: Metrics,
  ) {
    this.warning = new ThrottledLog(new Logger(CheckWorker.name), clock);
    this.due = new DueRows(dialect, {
      table: 'domain_verifications',
      accounts: 'accounts',
      columns: 'id, account_id, host, status',
      due: 'due',
      accountIndex: ACCOUNT_DUE_INDEX,
      rowsPerAccount: 8,
    });

    const late = 'How late the oldest due domain check is.';
    const aggregator = 'max'; // no sum: every process reads the same database
    metrics.gauge('frontdesk_domain_checks_late_seconds', late, () => this.readLateSeconds(), { aggregator });
    const statuses = 'Domains, by verification status.';
    const problems = 'Domains, by problem found in their last check.';
    const read = (part: 'statuses' | 'problems') => async () => (await this.countDomains())?.[part];
    metrics.gauge('frontdesk_domains', statuses, read('statuses'), { aggregator, label: 'status' });
    metrics.gauge('frontdesk_domain_problems', problems, read('problems'), { aggregator, label: 'problem' });
  }

  onModuleInit(): void {
    this.background.add(this);
  }

  start(): void {
    if (this.config.domains.checks) this.loop.start();
  }

  async nextDue(accountId?: number): Promise<number> {
    if (this.loop.state === 'off') return Infinity;
    const due = await this.due.nextDue(accountId);
    const isBusy = [...this.checks.values()].some((domain) => accountId === undefined || domain.accountId === accountId);
    return isBusy || this.loop.state === 'cycling' ? 0 : due;
  }

  /** Stops claiming, and completes the checks in progress. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.checks.keys());
  }

  /** Starts checks, and returns how long to wait before the next cycle. */
  private async cycle(): Promise<number> {
    const started = this.clock.monotonic();
    const hasClaimedAll = this.limits.capacity(started) > 0 && (await this.claimDue());
    return hasClaimedAll ? POLL_MS : Math.min(Math.max(BUSY_POLL_MS, BUSY_POLL_CYCLES * (this.clock.monotonic() - started)), POLL_MS);
  }

  /** Claims due domains that get a slot. Returns false if any couldn't be claimed: no slot was free, or another process was faster. */
  private async claimDue(): Promise<boolean> {
    const rows = await this.due.find<[id: number, accountId: number, host: string, status: VerificationStatus]>(this.clock.now());
    const due = inFairOrder(
      await Promise.all(
        rows.map(async ([id, accountId, host, status]) => ({ id, accountId, host, status, registrable: await registrableDomain(host) })),
      ),
      () => 0,
    );
    const taken = due.filter(({ accountId, registrable }) => this.limits.tryTake(accountId, registrable, this.clock.monotonic()));
    const lease = this.clock.now() + LEASE_MS;
    let claimed = new Set<number>();
    try {
      if (taken.length > 0) claimed = await this.lease(taken, lease);
    } finally {
      for (const domain of taken) {
        if (claimed.has(domain.id)) this.startCheck(domain, lease);
        else this.limits.release(domain.accountId);
      }
    }
    return claimed.size === due.length;
  }

  /** Sets `due` to the end of the lease, except where another process has claimed or is claiming. Returns the ids leased. */
  private lease(domains: readonly DueDomain[], lease: number): Promise<Set<number>> {
    const among = inList(domains.map(({ id }) => id));
    const find = `SELECT id, due FROM domain_verifications WHERE id IN ${among.sql}${this.dialect.sql.forUpdateSkipLocked}`;
    return this.executor.run(async (statements) => {
      const rows = await statements.read<[id: number, due: number | null]>(find, among.values);
      const now = this.clock.now();
      const free = rows.filter(([, due]) => due !== null && due <= now).map(([id]) => id);
      if (free.length === 0) return new Set();
      const { sql, values } = inList(free);
      await statements.write(`UPDATE domain_verifications SET due = ? WHERE id IN ${sql}`, [lease, ...values]);
      return new Set(free);
    });
  }

  /** A check whose result can't be written is repeated when its lease ends. */
  private startCheck(domain: DueDomain, lease: number): void {
    const check = this.domainCheck
      .run({ id: domain.id, account_id: domain.accountId, host: domain.host, state: domain }, { lease })
      .catch((error: unknown) => this.warn(error))
      .finally(() => {
        this.checks.delete(check);
        this.limits.release(domain.accountId);
      });
    this.checks.set(check, domain);
  }

  /** Undefined while the database is down. */
  private async readLateSeconds(): Promise<number | undefined> {
    const due = await this.due.nextDue().catch(() => undefined);
    return due === undefined ? undefined : Math.max(0, this.clock.now() - due) / 1_000;
  }

  /** A scan of all domains: once a minute is enough. Undefined while the database is down. */
  private async countDomains(): Promise<CheckWorker['cachedCounts']> {
    const now = this.clock.monotonic();
    const rows = await this.dialect.read<[number]>('SELECT 1', []).catch(() => undefined);
    if (!rows) return undefined;
    if (this.cachedCounts && now - this.cachedCounts.time < MINUTE_MS) return this.cachedCounts;
    const found = await this.dialect.read<[string, ...number[]]>(COUNT_VERIFICATIONS, [], ALL_VERIFICATIONS).catch(() => undefined);
    if (!found) return undefined;
    const statuses = { pending: 0, verified: 0, failed: 0, ...Object.fromEntries(found.map(([status, count]) => [status, count])) };
    const sum = (index: number) => found.reduce((total, row) => total + Number(row[index + 2]), 0);
    this.cachedCounts = { time: now, statuses, problems: Object.fromEntries(PROBLEM_CODES.map((code, index) => [code, sum(index)])) };
    return this.cachedCounts;
  }

  private warn(error: unknown): void {
    this.warning.log({ message: 'Due domains could not be checked; retrying.', err: error });
  }
}

const MAX_CONCURRENT_CHECKS = 32;
const MAX_CONCURRENT_CHECKS_PER_ACCOUNT = 8;
const MAX_CHECKS_PER_SECOND = 50;
/** Keeps callers from using this service to flood someone's name servers. */
const MAX_CHECKS_PER_SECOND_PER_DOMAIN = 5;

/** Limits this process's concurrent checks, and its checks per second. Times are monotonic. */
export class CheckLimits {
  private readonly slots = new Semaphore(MAX_CONCURRENT_CHECKS, { maxPerAccount: MAX_CONCURRENT_CHECKS_PER_ACCOUNT });
  private recentChecks: { time: number; domain: string }[] = [];

  /** How many checks may start now. */
  capacity(now: number): number {
    this.recentChecks = this.recentChecks.filter(({ time }) => time <= now && now - time < SECOND_MS);
    return Math.max(0, Math.min(MAX_CONCURRENT_CHECKS - this.slots.inUse, MAX_CHECKS_PER_SECOND - this.recentChecks.length));
  }

  /** Takes a slot. Returns false if the process, the account or the registrable domain has reached its limit. */
  tryTake(accountId: number, domain: string, now: number): boolean {
    if (this.capacity(now) === 0) return false;
    if (this.recentChecks.filter((check) => check.domain === domain).length >= MAX_CHECKS_PER_SECOND_PER_DOMAIN) return false;
    if (!this.slots.tryAcquire(accountId)) return false;
    this.recentChecks.push({ time: now, domain });
    return true;
  }

  release(accountId: number): void {
    this.slots.release(accountId);
  }
}
