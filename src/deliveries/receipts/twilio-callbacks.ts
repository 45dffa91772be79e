import type { ParsedUrlQuery } from 'node:querystring';
import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../platform/common/clock';
import { Semaphore } from '../../platform/common/concurrency';
import { Config } from '../../platform/config/config';
import { parseRawForm } from '../../platform/http/input/request-body';
import { RequestError } from '../../platform/http/request-error';
import { ThrottledLog } from '../../platform/observability/logging';
import { askForKey, sayResult } from '../channels/call-twiml';
import { Acknowledgements } from '../steps/acknowledgements';
import { Receipts } from './receipts';
import { isSigned, parseReport } from './twilio-report';

/** Twilio's longest forms have about 1 KB. */
const MAX_BYTES = 16 * 1_024;
/** Callbacks written concurrently. The API's own limit doesn't count them; in a flood, the API keeps the other database connections. */
const MAX_AT_ONCE = 2;
/** Less than the 15 s that Twilio waits for a response. */
const WAITING = { maxWaiting: 1_000, timeoutMs: 5_000 };

/** Verifies Twilio's callbacks, stores the statuses that they report, and acknowledges messages with the key pressed in a call. */
@Injectable()
export class TwilioCallbacks {
  private readonly slots = new Semaphore(MAX_AT_ONCE, WAITING);
  private readonly warning = new ThrottledLog(new Logger(TwilioCallbacks.name), this.clock);

  constructor(
    private readonly config: Config,
    private readonly receipts: Receipts,
    private readonly acknowledgements: Acknowledgements,
    private readonly clock: Clock,
  ) {}

  /** @throws RequestError 403 for a callback that Twilio hasn't signed, before any query; 503 for too many at once */
  async receive(request: Request): Promise<void> {
    const report = parseReport(await this.verify(request, this.config.channels.twilio?.statusCallback));
    if (report) await this.inTurn(() => this.receipts.note(report)); // other forms report no status to store
  }

  /**
   * Acknowledges the message of a call's delivery if the key is 1. Returns the TwiML with which the call goes on.
   * @throws RequestError, as `receive`
   */
  async press(request: Request, token: string): Promise<string> {
    const { twilio, twilioCallLanguage: language } = this.config.channels;
    const action = twilio?.keyCallback && `${twilio.keyCallback}/${token}`;
    const { Digits } = await this.verify(request, action);
    return this.inTurn(async () => {
      const linked = await this.acknowledgements.find(token);
      if (!linked) return sayResult('gone', language);
      if (linked.message.acknowledged === null) {
        if (Digits !== '1') return askForKey(language, action!);
        await this.acknowledgements.byLink(linked, request.id, 'call');
      }
      return sayResult('acknowledged', language);
    });
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.slots.acquire())) throw RequestError.unavailable('Too many callbacks at once. Try again.');
    try {
      return await work();
    } finally {
      this.slots.release();
    }
  }

  /** The form, if Twilio has signed it for this URL, or for it and the request's query. @throws RequestError 403 */
  private async verify(request: Request, callback: string | undefined): Promise<ParsedUrlQuery> {
    const token = this.config.channels.twilio?.token;
    const signature = request.headers['x-twilio-signature'];
    if (!token || !callback || typeof signature !== 'string') throw notSigned();
    const form = await parseRawForm(request, MAX_BYTES).catch((error: unknown) => {
      throw error instanceof RequestError ? notSigned(error.headers) : error;
    });
    const url = callback + request.originalUrl.replace(/^[^?]*/, '');
    if (isSigned(form, { token, url, signature })) return form;
    this.warning.log({ message: "A callback isn't signed by Twilio for this service: check PUBLIC_URL and TWILIO_AUTH_TOKEN." });
    throw notSigned();
  }
}

function notSigned(headers = {}): RequestError {
  const detail = 'Only Twilio may send this: X-Twilio-Signature must sign this URL and form.';
  return RequestError.inHeader('invalid_signature', detail, 'X-Twilio-Signature', headers);
}
