import { Logger } from '@nestjs/common';
import type { Clock } from '../common/clock';
import { ThrottledLog } from '../observability/logging';
import type { Claim, Ended } from './queue/claim';

/** A delivery whose last attempt has failed. */
export interface Failure {
  claim: Claim;
  ending: Ended;
}

/** One line a minute at most for each handler; no text, address or secret. */
export class FailureLog {
  private readonly lines: ThrottledLog;

  constructor(clock: Clock) {
    this.lines = new ThrottledLog(new Logger(FailureLog.name), clock);
  }

  log(failures: readonly Failure[]): void {
    for (const { claim, ending } of failures) {
      const { accountId: account, handlerId: handler_id, messageId: message_id, id: delivery_id, type } = claim;
      const { outcome, status, code } = ending.verdict;
      const fields = { account, handler_id, message_id, delivery_id, type, outcome, status, code };
      this.lines.log({ message: 'A delivery has failed.', ...fields }, handler_id);
    }
  }
}
