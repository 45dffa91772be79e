import type { WriteContext } from '../platform/common/write-context';
import type { Transaction } from '../platform/database/writes/transactions';

// Hooks that this area calls. It may not import deliveries and events, so their modules provide these classes.

/** Provided by DeliveriesModule. */
export abstract class HandlerCancellations {
  /**
   * Cancels the pending deliveries of a handler that may have been disabled, deleted or given another type. Returns whether that
   * succeeded within two seconds; a slow one continues in the background.
   */
  abstract cancel(context: WriteContext, handlerId: number): Promise<boolean>;
}

/** Provided by EventsModule. */
export abstract class EventScopeChecks {
  /** Call before a handler gets another type, other settings or another signing secret. @throws RequestError 403 */
  abstract require(transaction: Transaction, context: WriteContext, handlerId: number): Promise<void>;

  /** Call in the transaction that gives a handler another type: its next messages may cost money, which nobody has confirmed. */
  abstract endReplay(transaction: Transaction, handlerId: number): Promise<void>;

  /** Call before the transaction that may enable a handler. Returns the work to do in it. */
  abstract prepareEnabling(): Promise<(transaction: Transaction, handlerId: number) => Promise<void>>;
}
