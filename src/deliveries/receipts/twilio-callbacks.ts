import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../platform/common/clock';
import { Semaphore } from '../../platform/common/concurrency';
import { Config } from '../../platform/config/config';
import { parseRawForm } from '../../platform/http/input/request-body';
import { RequestError } from '../../platform/http/request-error';
import { ThrottledLog } from '../../platform/observability/logging';
import { Receipts } from './receipts';
import { isSigned, parseReport, type Report } from './twilio-report';

/** Twilio's longest forms have about 1 KB. */
const MAX_BYTES = 16 * 1_024;
/** Reports written concurrently. The API's own limit doesn't count them; in a flood, the API keeps the other database connections. */
const MAX_AT_ONCE = 2;
/** Less than the 15 s that Twilio waits for a response. */
const WAITING = { maxWaiting: 1_000, timeoutMs: 5_000 };

/** Verifies Twilio's status callbacks, and stores the statuses that they report. */
@Injectable()
export class TwilioCallbacks {
  private readonly slots = new Semaphore(MAX_AT_ONCE, WAITING);
  private readonly warning = new ThrottledLog(new Logger(TwilioCallbacks.name), this.clock);

  constructor(
    private readonly config: Config,
    private readonly receipts: Receipts,
    private readonly clock: Clock,
  ) {}

  /** @throws RequestError 403 for a callback that Twilio hasn't signed, before any query; 503 for too many at once */
  async receive(request: Request): Promise<void> {
    const report = await this.verify(request);
    if (!report) return;
    if (!(await this.slots.acquire())) throw RequestError.unavailable('Too many status callbacks at once. Try again.');
    try {
      await this.receipts.note(report);
    } finally {
      this.slots.release();
    }
  }

  /** Undefined for a form that reports no status to store. @throws RequestError 403 */
  private async verify(request: Request): Promise<Report | undefined> {
    const { token, statusCallback } = this.config.channels.twilio ?? {};
    const signature = request.headers['x-twilio-signature'];
    if (!token || !statusCallback || typeof signature !== 'string') throw notSigned();
    const form = await parseRawForm(request, MAX_BYTES).catch((error: unknown) => {
      throw error instanceof RequestError ? notSigned(error.headers) : error;
    });
    const url = statusCallback + request.originalUrl.replace(/^[^?]*/, '');
    if (isSigned(form, { token, url, signature })) return parseReport(form);
    this.warning.log({ message: "A status callback isn't signed for this service: check PUBLIC_URL and TWILIO_AUTH_TOKEN." });
    throw notSigned();
  }
}

function notSigned(headers = {}): RequestError {
  const detail = 'Only Twilio may send this: X-Twilio-Signature must sign this URL and form.';
  return RequestError.inHeader('invalid_signature', detail, 'X-Twilio-Signature', headers);
}
