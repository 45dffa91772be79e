import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DAY_MS, HOUR_MS, timestamp } from '../../common/time';
import { Config } from '../../config/config';
import { Job } from '../../jobs/job.decorator';
import { Dialect } from '../dialect';
import { WriteExecutor, yieldToWriters } from '../writes/transactions';
import { UNDISPATCHED } from './event.entity';
import { EventNumbers } from './event-numbers';

/** Numbers expired per transaction, to keep locks short; up to 500 rows share a number. */
const BATCH = 20;
const FIND = `SELECT number, MAX(datetime) FROM audit WHERE number > ? AND number <= ? GROUP BY number ORDER BY number LIMIT ${BATCH}`;
/** Audited rows stay until `audit prune`. */
const DELETE = 'DELETE FROM audit WHERE number > ? AND number <= ? AND is_audited = 0';
/** The first number with an undispatched event. Null if there is none. */
const FIND_UNDISPATCHED = `SELECT MIN((SELECT MIN(number) FROM audit WHERE ${UNDISPATCHED})) FROM event_cursors cursors`;

/** Removes events from the feed after EVENTS_KEEP_DAYS, and deletes those that the audit doesn't show. */
@Injectable()
export class EventRetention {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Job({ name: 'events', everyMs: HOUR_MS })
  async run(signal: AbortSignal): Promise<void> {
    await this.expire(signal);
  }

  /** Expires old events. Returns the time before which events are old, and the last number up to which all events have been dispatched. */
  async expire(signal?: AbortSignal): Promise<{ before: string; dispatched: number }> {
    const before = timestamp(this.clock.now() - this.config.eventsKeepDays * DAY_MS);
    const { last, floor: start } = await this.numbers.number();
    const [[undispatched]] = await this.dialect.read<[number | null]>(FIND_UNDISPATCHED, []);
    const dispatched = undispatched === null ? last : Math.min(last, undispatched - 1);
    for (let floor = start; ;) {
      signal?.throwIfAborted();
      const found = await this.dialect.read<[number: number, newest: string]>(FIND, [floor, dispatched]);
      const kept = found.findIndex(([, newest]) => newest >= before);
      const expired = kept === -1 ? found : found.slice(0, kept);
      if (expired.length === 0) return { before, dispatched };
      const [to] = expired[expired.length - 1];
      await this.executor.run(async (statements) => {
        await statements.write('UPDATE event_log SET floor = ? WHERE id = 1 AND floor < ?', [to, to]);
        await statements.write(DELETE, [floor, to]);
      });
      floor = to;
      await yieldToWriters();
    }
  }
}
