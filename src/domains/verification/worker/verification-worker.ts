import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Config } from '../../../config/config';
import { ThrottledLog } from '../../../observability/logging';
import { LookRunner } from '../looks/look-runner';
import { Claimer, type LookClaim } from './claimer';
import { LookLimits } from './look-limits';

/** How often to poll for domains that other processes created or left. */
const POLL_MS = 1_000;
/** While due domains wait for a slot: at least this, and this many times as long as the last cycle took, to spare a slow database. */
const [BUSY_POLL_MS, BUSY_POLL_TURNS] = [100, 4];

/** Checks due domains in the background. */
@Injectable()
export class VerificationWorker implements BeforeApplicationShutdown {
  private readonly warning = new ThrottledLog(new Logger(VerificationWorker.name), this.clock);
  private readonly limits = new LookLimits();
  private readonly looks = new Set<Promise<void>>();
  private isStopping = false;
  private isRung = false;
  private rouse = () => {};
  private running?: Promise<void>;

  constructor(
    private readonly claimer: Claimer,
    private readonly runner: LookRunner,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  start(): void {
    if (this.config.domains.checks) this.running ??= this.run();
  }

  /** Something is due now. */
  wake(): void {
    this.isRung = true;
    this.rouse();
  }

  /** Claims nothing more, and completes the checks in progress. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.running;
    await Promise.all(this.looks);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      this.isRung = false;
      await this.rest(await this.turn());
    }
  }

  /** Starts checks, and returns how long to wait before the next cycle. */
  private async turn(): Promise<number> {
    const begun = this.clock.monotonic();
    try {
      const { claims, hasMore } = await this.claimer.claim(this.limits);
      for (const claim of claims) this.begin(claim);
      if (!hasMore) return POLL_MS;
      return Math.min(Math.max(BUSY_POLL_MS, BUSY_POLL_TURNS * (this.clock.monotonic() - begun)), POLL_MS);
    } catch (error) {
      this.warning.log({ message: 'Due domains could not be checked; retrying.', err: error });
      return POLL_MS;
    }
  }

  private begin(claim: LookClaim): void {
    const look = this.lookUp(claim).finally(() => {
      this.looks.delete(look);
      this.limits.release(claim.accountId);
    });
    this.looks.add(look);
  }

  /** Never rejects. A look whose result can't be written is repeated when its lease has ended. */
  private async lookUp(claim: LookClaim): Promise<void> {
    try {
      await this.runner.run(claim, claim.lease);
    } catch (error) {
      this.warning.log({ message: 'Due domains could not be checked; retrying.', err: error });
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    if (this.isRung || this.isStopping) return;
    const roused = new Promise<void>((resolve) => (this.rouse = resolve));
    const timer = setTimeout(() => this.rouse(), milliseconds);
    await roused;
    clearTimeout(timer);
  }
}
