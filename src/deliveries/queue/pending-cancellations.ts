import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { EnabledHandlers, HAS_USABLE_HANDLER } from '../../notification-handlers/enabled-handlers';
import type { HandlerCancellations } from '../../notification-handlers/handler-hooks';
import { Clock } from '../../platform/common/clock';
import { SharedRuns } from '../../platform/common/concurrency';
import { timestamp } from '../../platform/common/time';
import type { WriteContext } from '../../platform/common/write-context';
import { Dialect } from '../../platform/database/dialect';
import { causedBy } from '../../platform/database/events/event-log';
import { inList } from '../../platform/database/value-lists';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { CHANNELS } from '../channels/channel-table';
import { Cancellation } from './cancellation';
import { laneOf } from './lane';

/** How long a request waits for its cancellations: a million take longer. */
const MAX_WAIT_MS = 2_000;
/** Deliveries cancelled per transaction. */
const DELIVERIES_PER_BATCH = 500;

const FIND_PENDING = `SELECT id FROM deliveries
  WHERE +account_id = ? AND +handler_id = ? AND step = 0 AND lease IS NULL AND next_attempt >= 0 AND NOT ${HAS_USABLE_HANDLER} AND lane IN`;

/** Cancels pending deliveries of handlers that were disabled, deleted or retyped; those of later steps are checked when they are due. */
@Injectable()
export class PendingCancellations implements HandlerCancellations {
  private readonly logger = new Logger(PendingCancellations.name);
  private readonly runs = new SharedRuns<void>();

  constructor(
    private readonly handlers: EnabledHandlers,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly cancellation: Cancellation,
    private readonly clock: Clock,
  ) {}

  cancel(context: WriteContext, handlerId: number): Promise<boolean> {
    const work = this.runs
      .run(`${context.accountId} ${handlerId}`, () => this.cancelAll(context, handlerId))
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

  /** Cancels all deliveries if the handler is disabled or deleted, else those of its former types. Attempts in progress continue. */
  private async cancelAll(context: WriteContext, handlerId: number): Promise<void> {
    const { accountId } = context;
    const handler = await this.handlers.findOwnerAndType(this.dialect, handlerId);
    if (handler && handler.accountId !== accountId) return;
    // Skips the lane of an enabled handler's type, which has nothing to cancel: searching a million pending deliveries takes 1.5 s.
    const types = [...CHANNELS.keys()].filter((each) => each !== handler?.type);
    const lanes = inList(types.map((each) => laneOf({ type: each, handlerId }, accountId)));
    const find = `${FIND_PENDING} ${lanes.sql} LIMIT ${DELIVERIES_PER_BATCH}`;
    const list = { table: 'deliveries', accountId };
    for (;;) {
      const found = await this.dialect.read<[id: number]>(find, [accountId, handlerId, ...lanes.values], list);
      if (found.length === 0) return;
      const pending = { ids: found.flat(), time: timestamp(this.clock.now()), condition: `NOT ${HAS_USABLE_HANDLER}` };
      await this.executor.run((transaction) => this.cancellation.cancel(transaction, causedBy(context), pending));
    }
  }
}
