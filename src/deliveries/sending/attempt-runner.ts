import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { Dialect } from '../../database/dialect';
import { RecordNotFound } from '../../database/records/records';
import type { DeliveryTarget } from '../../notification-handlers/delivery-targets';
import { ThrottledLog } from '../../observability/logging';
import { Outbound } from '../../outbound/outbound';
import { OutboundError, type OutboundFailure, type SendOptions } from '../../outbound/outbound-request';
import { NotConfigured, type Outcome, type Outgoing, type Verdict } from '../channels/channel';
import { CHANNELS } from '../channels/channel-table';
import { DEADLINE_MS, type Ended, type Ending } from '../queue/claim';
import { DeliveryMetrics } from './delivery-metrics';

/** What an attempt sends, and through which handler. */
export interface AttemptTask {
  target: DeliveryTarget;
  outgoing: Outgoing;
}

const FAILURES: Record<Exclude<OutboundFailure, 'given_back'>, [outcome: Outcome, detail: string, variable?: string]> = {
  timeout: ['timeout', 'No answer within 10 s.'],
  unreachable: ['unreachable', 'No connection could be made.'],
  unresolved: ['unreachable', 'The host name has no address, or no name server answered.'],
  no_mail_server: ['operator_error', "The mail server of this service can't be reached.", 'SMTP_URL'],
  tls_error: ['tls_error', 'The TLS handshake failed, or the certificate is not valid for this host.'],
  blocked_address: ['blocked_address', 'Deliveries to this address are not allowed.'],
  not_http: ['server_error', 'The answer does not follow the protocol.'],
  no_answer: ['unknown', 'The connection ended after the message was sent, without an answer.'],
};

export const OVER_LIMIT: Verdict = {
  ...{ outcome: 'daily_limit', isFinal: true, status: null },
  detail: 'The account has used up the daily limit of this type.',
};

/** Makes one attempt. */
@Injectable()
export class AttemptRunner {
  private readonly logger = new Logger(AttemptRunner.name);
  private readonly operatorErrors = new ThrottledLog(this.logger, this.clock, 'error');

  constructor(
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly dialect: Dialect,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Never throws. */
  async run(task: AttemptTask, options: Omit<SendOptions, 'deadlineMs'>): Promise<Ending> {
    const { type } = task.target;
    const start = this.clock.monotonic();
    try {
      return this.end(type, await this.send(task, { ...options, deadlineMs: DEADLINE_MS }), start);
    } catch (error) {
      return this.fail(type, error, start);
    }
  }

  /** Ends an attempt with an error; a fault of ours, too, is an outcome. */
  fail(type: string, error: unknown, start?: number): Ending {
    if (error instanceof RecordNotFound) return 'cancelled'; // the webhook went before its first signing secret was made
    const verdict = this.verdictOf(error, type);
    return verdict ? this.end(type, verdict, start) : 'given back';
  }

  /** Counts an attempt and returns its result. */
  end(type: string, verdict: Verdict, start = this.clock.monotonic()): Ended {
    const durationMs = Math.round(this.clock.monotonic() - start);
    this.metrics.count(type, verdict.outcome, durationMs);
    if (verdict.variable) this.reportOperatorError(verdict.variable, verdict);
    return { verdict, durationMs, time: this.clock.now() };
  }

  private async send({ target, outgoing }: AttemptTask, options: SendOptions): Promise<Verdict> {
    const channel = CHANNELS.get(target.type)!;
    const now = this.clock.now();
    const context = { settings: target.settings(), signingSecrets: await target.signingSecrets(), accounts: this.config.channels, now };
    if (channel.transport === 'smtp') return channel.judge(await this.outbound.mail(channel.mail(outgoing, context), options));
    return channel.judge(await this.outbound.post(channel.request(outgoing, context), options), this.clock.now(), context.settings);
  }

  private reportOperatorError(variable: string, { status, code, detail }: Verdict): void {
    const cause = { variable, code: String(status ?? code) };
    this.metrics.countOperatorError(cause);
    this.operatorErrors.log({ message: `Check ${variable}. ${detail}`, ...cause }, Object.values(cause).join(' '));
  }

  /** Undefined when nothing was sent and the attempt doesn't count. */
  private verdictOf(error: unknown, type: string): Verdict | undefined {
    if (error instanceof OutboundError) return verdictOfFailure(error, CHANNELS.get(type)!.isPaid);
    const isKnown = error instanceof NotConfigured;
    if (!isKnown && this.dialect.isUnavailable(error)) return undefined;
    if (!isKnown) this.logger.error({ message: 'A delivery failed by a fault of this service.', err: error });
    const detail = isKnown ? error.message : 'An internal error. The operator finds its cause in the log.';
    return { outcome: 'not_configured', isFinal: isKnown, status: null, detail };
  }
}

function verdictOfFailure({ failure, isWritten, systemCode }: OutboundError, isPaid: boolean): Verdict | undefined {
  if (failure === 'given_back') return undefined;
  const isSpent = isPaid && isWritten;
  const [outcome, detail, variable] = FAILURES[isSpent ? 'no_answer' : failure];
  return { outcome, isFinal: isSpent || failure === 'blocked_address', status: null, detail, code: systemCode, variable };
}
