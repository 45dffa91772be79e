import type { ParsedUrlQuery } from 'node:querystring';
import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../platform/common/clock';
import { Semaphore } from '../../platform/common/concurrency';
import { Config } from '../../platform/config/config';
import { parseRawForm } from '../../platform/http/input/request-body';
import { RequestError } from '../../platform/common/errors';
import { ThrottledLog } from '../../platform/observability/logging';
import { Receipts } from './receipts';
import { hasValidSignature, parseReport } from '../channels/twilio-report';

/** Twilio's longest forms are about 1 KB. */
const MAX_FORM_BYTES = 16 * 1_024;
/** Callbacks handled concurrently. The API's own limit doesn't count them; in a flood, this leaves the other database connections to the API. */
const MAX_CONCURRENT_CALLBACKS = 2;
/** Less than the 15 s that Twilio waits for a response. */
const WAITING_LIMITS = { maxWaiting: 1_000, timeoutMs: 5_000 };

/** Verifies Twilio's callbacks, and stores the statuses that they report. */
@Injectable()
export class TwilioCallbacks {
  private readonly slots = new Semaphore(MAX_CONCURRENT_CALLBACKS, WAITING_LIMITS);
  private readonly warning: ThrottledLog;

  constructor(
    private readonly config: Config,
    private readonly receipts: Receipts,
    clock: Clock,
  ) {
    this.warning = new ThrottledLog(new Logger(TwilioCallbacks.name), clock);
  }

  /** Stores the status that a callback reports. @throws RequestError, as `receive` */
  async recordStatus(request: Request): Promise<void> {
    const form = await this.verify(request, this.config.channels.twilio?.statusCallback);
    const report = parseReport(form);
    if (report) await this.withSlot(() => this.receipts.record(report)); // other forms report no status to store
  }

  /**
   * Verifies a callback to this URL, then calls `work` with its form.
   * @throws RequestError 403 for a callback that Twilio hasn't signed, before any query; 503 for too many concurrent ones
   */
  async receive<T>(request: Request, url: string | undefined, work: (form: ParsedUrlQuery) => Promise<T>): Promise<T> {
    const form = await this.verify(request, url);
    return this.withSlot(() => work(form));
  }

  private async withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.slots.acquire())) throw RequestError.unavailable('Too many callbacks at once. Try again.');
    try {
      return await work();
    } finally {
      this.slots.release();
    }
  }

  /** Returns the form if Twilio has signed it for this URL with the request's query string, if any. @throws RequestError 403 */
  private async verify(request: Request, callback: string | undefined): Promise<ParsedUrlQuery> {
    const token = this.config.channels.twilio?.token;
    const signature = request.headers['x-twilio-signature'];
    if (!token || !callback || typeof signature !== 'string') throw notSigned();
    const form = await parseRawForm(request, MAX_FORM_BYTES).catch((error: unknown) => {
      throw error instanceof RequestError ? notSigned(error.headers) : error;
    });
    const url = callback + request.originalUrl.replace(/^[^?]*/, '');
    if (hasValidSignature(form, { token, url, signature })) return form;
    this.warning.log({ message: "A callback isn't signed by Twilio for this service: check PUBLIC_URL and TWILIO_AUTH_TOKEN." });
    throw notSigned();
  }
}

function notSigned(headers = {}): RequestError {
  const detail = 'X-Twilio-Signature is missing or does not match this URL and form.';
  return RequestError.inHeader('invalid_signature', detail, 'X-Twilio-Signature', headers);
}
