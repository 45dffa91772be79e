import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { timestamp } from '../../platform/common/time';
import type { WriteContext } from '../../platform/common/write-context';
import { logAuditedEvent } from '../../platform/database/events/event-log';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { RecordNotFound, RequestError } from '../../platform/common/errors';
import { Config } from '../../platform/config/config';
import { type DeliveryTarget, DeliveryTargets } from '../../notification-handlers/delivery-targets';
import { type Quota, Quotas } from '../../platform/quotas/quotas';
import type { AttemptRecord } from '../delivery.dto';
import { AttemptRunner, OVER_LIMIT } from './attempt-runner';
import type { AttemptResult } from '../queue/claim';
import { dailyQuota } from '../queue/delivery-limits';

const TEST_QUOTA: Quota = { name: 'test', limit: 10, window: 'minute' };
const NOUN = 'notification handler';

/** Sends a test message through one handler, immediately and without the queue. */
@Injectable()
export class HandlerTestsService {
  constructor(
    private readonly targets: DeliveryTargets,
    private readonly executor: WriteExecutor,
    private readonly quotas: Quotas,
    private readonly config: Config,
    private readonly runner: AttemptRunner,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls `onAdmitted` before the attempt, which may take 10 s, or minutes with a mail server.
   * @throws RecordNotFound, RequestError 429 over the handler test limit, 503 if the database fails during the attempt
   */
  async run(context: WriteContext, handlerId: number, onAdmitted: () => void): Promise<AttemptRecord> {
    const target = (await this.targets.find([handlerId])).get(handlerId);
    if (target?.accountId !== context.accountId) throw new RecordNotFound(NOUN);
    const isWithinLimit = await this.admit(context, target);
    onAdmitted();
    const started = this.clock.now();
    const ended = isWithinLimit ? await this.send(target, started) : this.runner.end(target.type, OVER_LIMIT);
    const { outcome, status, detail } = ended.verdict;
    return { number: 1, datetime: timestamp(started), duration_ms: ended.durationMs, outcome, status, detail };
  }

  /** Counts and audits the test. Returns whether it is within the daily limit for the handler's type. @throws RequestError 429 */
  private admit(context: WriteContext, { id, type }: DeliveryTarget): Promise<boolean> {
    const { accountId } = context;
    const daily = dailyQuota(this.config, type);
    return this.executor.run(async (statements) => {
      await this.quotas.consume(statements, accountId, TEST_QUOTA);
      await logAuditedEvent(statements, context, { action: 'test', record: NOUN, recordId: id });
      return !daily || (await this.quotas.consumeUpTo(statements, accountId, daily, 1, this.clock.now())) === 1;
    });
  }

  private async send(target: DeliveryTarget, now: number): Promise<AttemptResult> {
    const outgoing = {
      messageId: null,
      deliveryId: null,
      part: null,
      webhookId: `msg_test_${randomUUID()}`,
      traceparent: null,
      event: null,
      title: 'Test',
      text: `Test of ${target.name}`,
      url: '',
      datetime: timestamp(now),
    };
    const options = { mayWrite: () => true, abortSignal: new AbortController().signal };
    const ending = await this.runner.run(target, outgoing, options);
    if (ending === 'released') throw RequestError.unavailable('The database is not responding, or accepts no writes. Try again.');
    if (ending === 'cancelled') throw new RecordNotFound(NOUN);
    return ending;
  }
}
