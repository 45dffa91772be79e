import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../config/config';
import { DomainChanges } from '../../changes/domain-changes';
import { MissingVerifications } from './missing-verifications';

const INTERVAL_MS = 60 * 60 * 1_000;

/** What is done once in a while: old changes are deleted, and missing verifications made. */
@Injectable()
export class VerificationUpkeep implements OnApplicationShutdown {
  private readonly logger = new Logger(VerificationUpkeep.name);
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  constructor(
    private readonly missing: MissingVerifications,
    private readonly changes: DomainChanges,
    private readonly config: Config,
  ) {}

  start(): void {
    if (!this.config.domains.checks) return;
    this.timer = setInterval(() => this.report(this.changes.prune()), INTERVAL_MS * (0.5 + Math.random())).unref(); // spread over processes
    this.report(this.missing.make(() => !this.isStopped));
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  private report(work: Promise<void>): void {
    work.catch((error: unknown) => this.logger.warn({ message: 'The upkeep of domains failed.', err: error }));
  }
}
