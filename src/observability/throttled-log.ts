import type { Logger } from '@nestjs/common';
import type { Clock } from '../common/clock';

const INTERVAL_MS = 60_000;
/** More than a process can log in a minute; 10 MB. */
const MAX_KEYS = 100_000;

/** Logs a line once a minute at most for each key; `left_out` counts those since the key's last line. */
export class ThrottledLog {
  private readonly lines = new Map<string | number, { quietUntil: number; leftOut: number }>();

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
    private readonly level: 'warn' | 'error' = 'warn',
  ) {}

  log(fields: { message: string } & Record<string, unknown>, key: string | number = ''): void {
    const now = this.clock.monotonic();
    const last = this.lines.get(key);
    if (last && now < last.quietUntil) return void last.leftOut++;
    this.lines.delete(key); // to the end: the first key is the longest quiet
    const [oldest] = this.lines.keys();
    if (this.lines.size >= MAX_KEYS) this.lines.delete(oldest);
    this.lines.set(key, { quietUntil: now + INTERVAL_MS, leftOut: 0 });
    this.logger[this.level](last?.leftOut ? { ...fields, left_out: last.leftOut } : fields);
  }
}
