import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AccountSlots } from '../common/account-slots';
import { RequestError } from '../http/errors/request-error';

/**
 * Limits how many complete lists are sent at once. Needed because a list leaves the AdmissionGuard once its records (beyond the
 * first 10,000, only their ids) have been read. While the client isn't reading, the unsent part stays in memory: up to 10,000
 * records and the ids of the rest.
 */
@Injectable()
export class StreamLimiter extends AccountSlots {
  constructor() {
    super(40, 32);
  }

  /** Takes a slot until the response closes. @throws RequestError 503 unavailable */
  add(accountId: number, response: Response): void {
    if (response.destroyed) return; // no `close` follows
    if (!this.tryAcquire(accountId)) {
      throw RequestError.unavailable('Too many complete lists are being sent. Read those that are open, ask for pages, or try again.');
    }
    response.once('close', () => this.release(accountId));
  }
}
