import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DomainChanges } from '../../changes/domain-changes';
import { MissingVerifications } from './missing-verifications';

const INTERVAL_MS = 60 * 60 * 1_000;

/** Hourly upkeep: prunes changes, creates missing verifications. Goes on without look-ups (DOMAIN_CHECKS=off): the edge needs both. */
@Injectable()
export class VerificationUpkeep implements BeforeApplicationShutdown {
  private readonly logger = new Logger(VerificationUpkeep.name);
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;
  private isStopped = false;

  constructor(
    private readonly missing: MissingVerifications,
    private readonly changes: DomainChanges,
  ) {}

  start(): void {
    const interval = INTERVAL_MS * (0.5 + Math.random()); // spread over processes
    this.timer = setInterval(() => this.begin(), interval).unref();
    this.begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Not beside a run that goes on. */
  private begin(): void {
    this.running ??= this.run()
      .catch((error: unknown) => this.logger.warn({ message: 'The upkeep of domains failed.', err: error }))
      .finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    const mayGoOn = () => !this.isStopped;
    await this.missing.make(mayGoOn);
    await this.changes.prune(mayGoOn);
  }
}
