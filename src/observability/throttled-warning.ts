import type { Logger } from '@nestjs/common';
import type { Clock } from '../common/clock';

const INTERVAL_MS = 60_000;

/** Logs a warning once a minute at most, for what fails as often as it is tried. */
export class ThrottledWarning {
  private quietUntil = -Infinity;

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  log(fields: { message: string } & Record<string, unknown>): void {
    const now = this.clock.monotonic();
    if (now < this.quietUntil) return;
    this.quietUntil = now + INTERVAL_MS;
    this.logger.warn(fields);
  }
}
