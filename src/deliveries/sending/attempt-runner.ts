import { Injectable, Logger } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { childOf } from '../../platform/common/trace-context';
import { Config } from '../../platform/config/config';
import { Dialect } from '../../platform/database/dialect';
import { type DeliveryTarget, DeliveryTargets } from '../../notification-handlers/delivery-targets';
import { ThrottledLog } from '../../platform/observability/logging';
import { Outbound } from '../../platform/outbound/outbound';
import { OutboundError, type OutboundFailure, type SendOptions } from '../../platform/outbound/outbound-request';
import { type Channel, NotConfigured, type Outcome, type OutgoingMessage, type Verdict } from '../channels/channel';
import { CHANNELS } from '../channels/channel-table';
import type { DeliveredMessage } from '../delivery.entity';
import { webhookIdOf } from '../installations';
import { type Claim, ATTEMPT_DEADLINE_MS, type AttemptResult, type Ending } from '../queue/claim';
import { DeliveryMetrics } from '../delivery-metrics';
import { AcknowledgementLinks } from './acknowledgement-links';
import { RecordNotFound } from '../../platform/common/errors';

/** The delivery attempt or handler test for which a connection is made. */
export interface Sending {
  accountId: number;
  type: string;
  handlerId: number;
  /** Null in a handler test. */
  messageId: number | null;
  deliveryId: number | null;
  /** Number of the attempt, from 1. */
  attempt: number;
}

type AttemptOptions = Pick<SendOptions, 'mayWrite' | 'beforeContent' | 'abortSignal'>;
const MESSAGE_FIELDS = { id: true, title: true, text: true, url: true, datetime: true, traceparent: true, event: true, until: true };

type FailureResult = [outcome: Outcome, detail: string, variable?: string];

const FAILURES: Record<Exclude<OutboundFailure, 'aborted'>, FailureResult> = {
  timeout: ['timeout', 'No answer within 10 s.'],
  unreachable: ['unreachable', 'No connection could be made.'],
  unresolved: ['unreachable', 'The host name has no address, or no name server answered.'],
  no_mail_server: ['operator_error', "The mail server of this service can't be reached.", 'SMTP_URL'],
  endless_session: ['operator_error', 'The mail server of this service kept answering, but never accepted the message.', 'SMTP_URL'],
  tls_error: ['tls_error', 'The TLS handshake failed, or the certificate is not valid for this host.'],
  blocked_address: ['blocked_address', 'Deliveries to this address are not allowed.'],
  not_http: ['server_error', 'The answer does not follow the protocol.'],
  no_answer: ['unknown', 'The connection ended after the message was sent, without an answer.'],
};

/** Overrides of FAILURES for mail, which goes through the SMTP_URL server rather than to the receiver. */
const MAIL_FAILURES: Partial<Record<OutboundFailure, FailureResult>> = {
  timeout: ['timeout', 'The mail server gave no answer within 30 s.', 'SMTP_URL'],
  tls_error: ['tls_error', 'TLS with the mail server failed, or its certificate is not valid for its host.', 'SMTP_URL'],
  no_answer: ['unknown', 'The message was sent to the mail server, but no answer came.'],
};

export const OVER_LIMIT: Verdict = {
  outcome: 'daily_limit',
  isFinal: true,
  status: null,
  detail: 'The account has used up the daily limit for this handler type.',
};

/** Attempts deliveries, using the handler's current state. */
@Injectable()
export class AttemptRunner {
  private readonly logger = new Logger(AttemptRunner.name);
  private readonly operatorErrors: ThrottledLog;

  constructor(
    private readonly targets: DeliveryTargets,
    private readonly dataSource: DataSource,
    private readonly links: AcknowledgementLinks,
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly dialect: Dialect,
    private readonly metrics: DeliveryMetrics,
  ) {
    this.operatorErrors = new ThrottledLog(this.logger, clock, 'error');
  }

  /** Loads the messages and handlers of these claims. The returned function attempts one claim, and never rejects. */
  load(claims: readonly Claim[]): (claim: Claim, options: AttemptOptions) => Promise<Ending> {
    const loaded = Promise.all([this.targets.find([...new Set(claims.map(({ handlerId }) => handlerId))]), this.findMessages(claims)]);
    loaded.catch(() => undefined); // prevents an unhandled rejection; each attempt reports the error
    return async (claim, options) => {
      try {
        const [targets, messages] = await loaded;
        return await this.attempt(claim, targets.get(claim.handlerId), messages.get(claim.messageId), options);
      } catch (error) {
        return this.fail(claim.type, error);
      }
    };
  }

  /** Sends a message through a handler, and returns how the attempt ended. Never rejects. */
  async run(target: DeliveryTarget, outgoing: OutgoingMessage, options: AttemptOptions, attempt = 1): Promise<Ending> {
    const start = this.clock.monotonic();
    const { type, accountId, id: handlerId } = target;
    const sending: Sending = { accountId, type, handlerId, messageId: outgoing.messageId, deliveryId: outgoing.deliveryId, attempt };
    let isWritten = false;
    const mayWrite = () => (isWritten = options.mayWrite());
    try {
      return this.end(type, await this.send(target, outgoing, { ...options, mayWrite, deadlineMs: ATTEMPT_DEADLINE_MS, sending }), start);
    } catch (error) {
      return this.fail(type, error, start, isWritten);
    }
  }

  /** Counts an attempt and returns its result. */
  end(type: string, verdict: Verdict, start = this.clock.monotonic()): AttemptResult {
    const durationMs = Math.round(this.clock.monotonic() - start);
    this.metrics.countAttempt(type, verdict.outcome, durationMs);
    if (verdict.variable) this.reportOperatorError(verdict.variable, verdict);
    return { verdict, durationMs, time: this.clock.now() };
  }

  private async findMessages(claims: readonly Claim[]): Promise<Map<number, DeliveredMessage>> {
    const ids = [...new Set(claims.map(({ messageId }) => messageId))];
    const messages = await this.dataSource
      .getRepository<DeliveredMessage>('messages')
      .find({ select: MESSAGE_FIELDS, where: { id: In(ids) } });
    return new Map(messages.map((message) => [message.id, message]));
  }

  private async attempt(
    { id, accountId, messageId, type, part, eventId, number, isOverLimit }: Claim,
    target: DeliveryTarget | undefined,
    message: DeliveredMessage | undefined,
    options: AttemptOptions,
  ): Promise<Ending> {
    if (!message || target?.accountId !== accountId || target.type !== type || !target.isEnabled) return 'cancelled';
    if (isOverLimit) return this.end(type, OVER_LIMIT);
    const { title, text, url, datetime, event } = message;
    const ids = { messageId, deliveryId: id, part, webhookId: webhookIdOf({ id, part, eventId }) };
    const traceparent = message.traceparent && childOf(message.traceparent);
    const acknowledge_url = message.until === 'acknowledged' ? await this.links.urlOf({ id, part }) : undefined;
    return this.run(target, { title, text, url, acknowledge_url, datetime, event, ...ids, traceparent }, options, number);
  }

  private async send(target: DeliveryTarget, outgoing: OutgoingMessage, options: SendOptions): Promise<Verdict> {
    const channel = CHANNELS.get(target.type)!;
    const now = this.clock.now();
    const context = {
      settings: target.settings(),
      signingSecrets: await target.signingSecrets(),
      accounts: this.config.channels,
      now,
      handlerName: target.name,
      accountName: target.accountName,
    };
    if (channel.transport === 'smtp') return channel.judge(await this.outbound.mail(channel.mail(outgoing, context), options));
    return channel.judge(await this.outbound.post(channel.request(outgoing, context), options), this.clock.now(), context.settings);
  }

  /** Turns any error, even from a bug in this service, into an ending. */
  private fail(type: string, error: unknown, start?: number, isWritten = false): Ending {
    if (error instanceof RecordNotFound) return 'cancelled'; // the webhook was deleted before its first signing secret was created
    const verdict = this.verdictOf(error, type, isWritten);
    return verdict ? this.end(type, verdict, start) : 'released';
  }

  private reportOperatorError(variable: string, { status, code, outcome, detail }: Verdict): void {
    const cause = { variable, code: String(status ?? code ?? outcome) };
    this.metrics.operatorErrors?.inc(cause);
    this.operatorErrors.log({ message: `Check ${variable}. ${detail}`, ...cause }, Object.values(cause).join(' '));
  }

  /** The error's verdict; undefined if nothing was sent, so that the attempt doesn't count. */
  private verdictOf(error: unknown, type: string, isWritten: boolean): Verdict | undefined {
    if (error instanceof OutboundError) return verdictOfFailure(error, CHANNELS.get(type)!);
    if (error instanceof NotConfigured) return { outcome: 'not_configured', isFinal: true, status: null, detail: error.message };
    if (this.dialect.isUnavailable(error)) return undefined;
    this.logger.error({ message: 'A delivery failed because of a bug in this service.', err: error });
    const isFinal = isWritten && CHANNELS.get(type)!.isPaid; // a paid message must not be sent twice
    return { outcome: 'internal_error', isFinal, status: null, detail: 'Internal error. The operator can find the cause in the log.' };
  }
}

function verdictOfFailure({ failure, isWritten, systemCode }: OutboundError, { isPaid, transport }: Channel): Verdict | undefined {
  if (failure === 'aborted') return undefined;
  const mayHaveCost = isPaid && isWritten;
  const isAmbiguous = transport === 'smtp' && isWritten;
  const reportedFailure = mayHaveCost || isAmbiguous ? 'no_answer' : failure;
  const [outcome, detail, variable] = (transport === 'smtp' && MAIL_FAILURES[reportedFailure]) || FAILURES[reportedFailure];
  const isFinal = mayHaveCost || failure === 'blocked_address';
  return { outcome, isFinal, isAmbiguous, status: null, detail, code: systemCode, variable };
}
