import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../platform/common/clock';
import { timestamp } from '../platform/common/time';
import { Config } from '../platform/config/config';
import { Dialect, type SqlExecutor } from '../platform/database/dialect';
import { byService } from '../platform/database/events/event-log';
import { inList } from '../platform/database/value-lists';
import type { Transaction } from '../platform/database/writes/transactions';
import { parseReceipt, REACHED_STATUSES, UNREACHED_STATUSES } from '../deliveries/channels/twilio-report';
import type { DeliveryStatus } from '../deliveries/delivery-status';
import { awaitsReport } from '../deliveries/queue/obsolete-deliveries';
import { Cancellation, markLastAttempts, WAIT_ENDED } from '../deliveries/queue/cancellation';
import { type DeliveryListener, DeliveryListeners, type EndedDelivery } from '../deliveries/queue/delivery-listeners';
import { LaneTable } from '../deliveries/queue/lane';

const LOCK_MESSAGES = 'SELECT id FROM messages WHERE id IN';
const FIND_DELIVERIES = `SELECT id, message_id, account_id, step, status, lease IS NOT NULL, type, lane, receipt
  FROM deliveries WHERE message_id IN`;
/** While a delivery waits for its step, `next_attempt` and `send_at` are both the step's time. */
const BRING_FORWARD =
  'UPDATE deliveries SET next_attempt = ?, send_at = NULL WHERE next_attempt > ? AND next_attempt = send_at AND lease IS NULL AND id IN';

type DeliveryRow = [
  id: number,
  messageId: number,
  accountId: number,
  step: number,
  status: DeliveryStatus,
  isLeased: number,
  type: string,
  lane: string,
  receipt: string | null,
];

/** Whether a delivery has reached its receiver; `open` while that may still change. */
type DeliveryResult = 'open' | 'reached' | 'missed';

/** Advances messages with `until=delivered`: makes their next step due, or ends their wait. */
@Injectable()
export class Steps implements DeliveryListener, OnModuleInit {
  constructor(
    private readonly dialect: Dialect,
    private readonly lanes: LaneTable,
    private readonly cancellation: Cancellation,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly listeners: DeliveryListeners,
  ) {}

  /** Runs after the event log has been added, so that a delivery is logged before those it cancels. */
  onModuleInit(): void {
    this.listeners.add(this);
  }

  onEnded(transaction: Transaction, deliveries: readonly EndedDelivery[]): Promise<void> {
    const waiting = deliveries.filter(({ until, end, status }) => until === 'delivered' && (end === null || status === 'delivered'));
    return this.advance(
      transaction,
      waiting.map(({ messageId }) => messageId),
    );
  }

  onReported(transaction: Transaction, { messageId, until }: Pick<EndedDelivery, 'messageId' | 'until'>): Promise<void> {
    return this.advance(transaction, until === 'delivered' ? [messageId] : []);
  }

  /**
   * Ends the wait of these messages, or makes the next step due when all deliveries before it have ended.
   * Locks the messages: of two transactions that end the last two deliveries, the second sees the first's result.
   */
  private async advance(statements: Transaction, messageIds: readonly number[]): Promise<void> {
    if (messageIds.length === 0) return;
    const { sql, values } = inList([...new Set(messageIds)]);
    await statements.read(`${LOCK_MESSAGES} ${sql} ORDER BY id${this.dialect.sql.forUpdate}`, values);
    const rows = await statements.read<DeliveryRow>(`${FIND_DELIVERIES} ${sql} ORDER BY id`, values);
    for (const id of new Set(messageIds)) {
      const deliveries = rows.filter(([, messageId]) => messageId === id);
      const firstStepWith = (result: DeliveryResult) =>
        Math.min(...deliveries.filter((row) => this.resultOf(row) === result).map(([, , , step]) => step));
      const [reached, open] = [firstStepWith('reached'), firstStepWith('open')];
      const [later, next] = [deliveries.filter(([, , , step]) => step > reached), deliveries.filter(([, , , step]) => step === open)];
      await (reached < Infinity ? this.endWait(statements, later) : this.bringForward(statements, next));
    }
  }

  /** Cancels the pending ones of these deliveries; an attempt in progress becomes the last. */
  private async endWait(statements: Transaction, later: readonly DeliveryRow[]): Promise<void> {
    const pending = later.filter(([, , , , status]) => status === 'pending');
    if (pending.length === 0) return;
    const time = timestamp(this.clock.now());
    const idsOf = (leased: number) => pending.filter(([, , , , , isLeased]) => isLeased === leased).map(([id]) => id);
    await this.cancellation.cancel(statements, byService(pending[0][2]), { ids: idsOf(0), time, end: WAIT_ENDED });
    await markLastAttempts(statements, idsOf(1), WAIT_ENDED);
  }

  private async bringForward(statements: SqlExecutor, step: readonly DeliveryRow[]): Promise<void> {
    if (step.length === 0) return;
    const now = this.clock.now();
    const { sql, values } = inList(step.map(([id]) => id));
    const { affected } = await statements.write(`${BRING_FORWARD} ${sql}`, [now, now, ...values]);
    const dues = new Map(step.map(([, , , , , , , lane]) => [lane, now]));
    if (affected > 0) await this.lanes.wake(statements, step[0][2], dues);
  }

  private resultOf([, , , , status, , type, , receipt]: DeliveryRow): DeliveryResult {
    if (status === 'pending') return 'open';
    if (status !== 'delivered') return 'missed';
    if (!awaitsReport(this.config, type)) return 'reached';
    const report = parseReceipt(receipt)?.status ?? '';
    if (REACHED_STATUSES.has(report)) return 'reached';
    return UNREACHED_STATUSES.has(report) ? 'missed' : 'open';
  }
}
