import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { HandlerWithdrawals } from '../../notification-handlers/handler-hooks';
import { Clock } from '../../platform/common/clock';
import { SharedRuns } from '../../platform/common/concurrency';
import { timestamp } from '../../platform/common/time';
import type { WriteContext } from '../../platform/common/write-context';
import { Dialect } from '../../platform/database/dialect';
import { because } from '../../platform/database/events/audit';
import { inList } from '../../platform/database/value-lists';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { CHANNELS } from '../channels/channel-table';
import { Steps } from '../steps/steps';
import { cancelDeliveries } from './cancellation';
import { laneOf } from './lane';

/** How long a request waits; cancelling a million deliveries takes longer. */
const MAX_WAIT_MS = 2_000;
/** Deliveries cancelled per transaction. */
const BATCH = 500;
const FIND_HANDLER = 'SELECT account_id, type, is_enabled FROM notification_handlers WHERE id = ?';

/** Whether the handler of a row of `deliveries` can be used. */
export const HAS_HANDLER = `EXISTS
  (SELECT 1 FROM notification_handlers WHERE id = deliveries.handler_id AND is_enabled = 1 AND type = deliveries.type)`;
const FIND_WITHDRAWN = `SELECT id FROM deliveries
  WHERE +account_id = ? AND +handler_id = ? AND step = 0 AND lease IS NULL AND next_attempt >= 0 AND NOT ${HAS_HANDLER} AND lane IN`;

/** Cancels what is pending of handlers that were disabled, deleted or given another type; of a later step, that is checked when it is due. */
@Injectable()
export class Withdrawals implements HandlerWithdrawals {
  private readonly logger = new Logger(Withdrawals.name);
  private readonly runs = new SharedRuns<void>();

  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly steps: Steps,
    private readonly clock: Clock,
  ) {}

  announce(context: WriteContext, handlerId: number): Promise<boolean> {
    const work = this.runs
      .run(`${context.accountId} ${handlerId}`, () => this.cancel(context, handlerId))
      .then(
        () => true,
        (error: unknown) => {
          const message =
            'Deliveries of a disabled, deleted or retyped handler could not be cancelled now; each is cancelled when it is due.';
          this.logger.warn({ message, err: error });
          return false;
        },
      );
    return Promise.race([work, sleep(MAX_WAIT_MS, false, { ref: false })]);
  }

  /** All if the handler is disabled or deleted, else those of its former types. Leaves attempts in progress. */
  private async cancel(context: WriteContext, handlerId: number): Promise<void> {
    const { accountId } = context;
    type Row = [owner: number, type: string, isEnabled: number];
    const [[owner, type, isEnabled] = [accountId, '', 0]] = await this.dialect.read<Row>(FIND_HANDLER, [handlerId]);
    if (owner !== accountId) return;
    // Skips the lane of an enabled handler's type, which has nothing to cancel: searching a million pending deliveries takes 1.5 s.
    const types = [...CHANNELS.keys()].filter((each) => each !== type || !isEnabled);
    const lanes = inList(types.map((each) => laneOf({ type: each, handlerId }, accountId)));
    const find = `${FIND_WITHDRAWN} ${lanes.sql} LIMIT ${BATCH}`;
    const list = { table: 'deliveries', accountId };
    for (;;) {
      const found = await this.dialect.read<[id: number]>(find, [accountId, handlerId, ...lanes.values], list);
      if (found.length === 0) return;
      const withdrawn = { ids: found.flat(), time: timestamp(this.clock.now()), condition: `NOT ${HAS_HANDLER}` };
      await this.executor.run(async (statements) => {
        const waiting = await cancelDeliveries(this.dialect, statements, because(context), withdrawn);
        await this.steps.goOn(statements, waiting);
      });
    }
  }
}
