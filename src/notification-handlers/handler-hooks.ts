import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { SharedRuns } from '../platform/common/concurrency';
import type { WriteContext } from '../platform/common/write-context';
import type { SqlExecutor } from '../platform/database/dialect';

// Hooks for deliveries and events, which this area does not import.

/** Cancels the pending deliveries of a handler that was disabled, deleted or given another type. */
type HandlerListener = (context: WriteContext, handlerId: number) => Promise<void>;

/** How long a request waits for the listener; cancelling a million deliveries takes longer. */
const MAX_WAIT_MS = 2_000;

/** Announces that a handler may have been disabled, deleted or given another type, so that its pending deliveries are cancelled. */
@Injectable()
export class HandlerWithdrawals {
  private readonly logger = new Logger(HandlerWithdrawals.name);
  private readonly runs = new SharedRuns<void>();
  private listener: HandlerListener = () => Promise.resolve();

  listen(listener: HandlerListener): void {
    this.listener = listener;
  }

  /** Returns whether the listener succeeded in time; a slow one continues in the background. */
  announce(context: WriteContext, handlerId: number): Promise<boolean> {
    const work = this.runs
      .run(`${context.accountId} ${handlerId}`, () => this.listener(context, handlerId))
      .then(
        () => true,
        (error: unknown) => {
          this.logger.warn({
            message: 'Deliveries of a withdrawn handler could not be cancelled now; each is cancelled when it is due.',
            err: error,
          });
          return false;
        },
      );
    return Promise.race([work, sleep(MAX_WAIT_MS, false, { ref: false })]);
  }
}

interface HandlerGuard {
  /** Throws to refuse a change of where a handler sends. */
  require(statements: SqlExecutor, context: WriteContext, handlerId: number): Promise<void>;
  /** Called before the transaction that may enable a handler. Returns the work to do in it. */
  prepareEnabling(): Promise<(statements: SqlExecutor, handlerId: number) => Promise<void>>;
}

/** Consulted before a handler is enabled, or gets another type, other settings or another signing secret. */
@Injectable()
export class HandlerGuards {
  private guard: HandlerGuard = {
    require: () => Promise.resolve(),
    prepareEnabling: () => Promise.resolve(() => Promise.resolve()),
  };

  listen(guard: HandlerGuard): void {
    this.guard = guard;
  }

  /** @throws RequestError 403 */
  require(statements: SqlExecutor, context: WriteContext, handlerId: number): Promise<void> {
    return this.guard.require(statements, context, handlerId);
  }

  prepareEnabling(): ReturnType<HandlerGuard['prepareEnabling']> {
    return this.guard.prepareEnabling();
  }
}
