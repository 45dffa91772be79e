import { Injectable } from '@nestjs/common';
import type { WriteContext } from '../common/write-context';
import type { SqlExecutor } from '../database/dialect';

interface HandlerGuard {
  /** Refuses a change of where a handler's messages go. */
  require(statements: SqlExecutor, context: WriteContext, handlerId: number): Promise<void>;
  /** Called before the transaction that may enable a handler. Returns what to do in it. */
  prepareEnabling(): Promise<(statements: SqlExecutor, handlerId: number) => Promise<void>>;
}

/** Asked before it gets another type, other settings or another signing secret, or is enabled. */
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
