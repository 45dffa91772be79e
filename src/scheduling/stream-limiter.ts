import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Semaphore } from '../platform/common/concurrency';
import { RequestError } from '../platform/common/errors';
import { onClose } from '../platform/http/server/response-close';

const MAX_LISTS = 40;
const MAX_LISTS_PER_ACCOUNT = 32;

/**
 * Limits how many complete lists are sent at once. The AdmissionGuard doesn't: a list frees its slot once its records (beyond the first
 * 10,000, only their ids) have been read. While the client isn't reading, the unsent part stays in memory: up to 10,000
 * records and the ids of the rest.
 */
@Injectable()
export class StreamLimiter extends Semaphore {
  constructor() {
    super(MAX_LISTS, { maxPerAccount: MAX_LISTS_PER_ACCOUNT });
  }

  /** Takes a slot until the response closes. @throws RequestError 503 unavailable */
  add(accountId: number, response: Response): void {
    if (!this.tryAcquire(accountId)) {
      throw RequestError.unavailable('Too many complete lists are being sent. Finish reading open ones, request pages, or try again.');
    }
    onClose(response, () => this.release(accountId));
  }
}
