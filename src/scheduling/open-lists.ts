import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RequestError } from '../http/errors/request-error';

/**
 * Bounds the complete lists that are being sent. They leave admission when the database has done its part, but one that its
 * client does not read keeps what is yet to be sent: up to 10,000 records and the ids of the rest.
 */
@Injectable()
export class OpenLists {
  private readonly max = 40;
  private readonly maxOfAccount = 32;
  private readonly byAccount = new Map<number, number>();
  private total = 0;

  get open(): number {
    return this.total;
  }

  /** Counts a list until its answer is out or its client is gone. @throws RequestError 503 unavailable */
  add(accountId: number, response: Response): void {
    const ofAccount = this.byAccount.get(accountId) ?? 0;
    if (this.total >= this.max || ofAccount >= this.maxOfAccount) throw tooMany();
    if (response.destroyed) return; // a client that has gone already: no `close` follows
    this.total++;
    this.byAccount.set(accountId, ofAccount + 1);
    response.once('close', () => this.remove(accountId));
  }

  private remove(accountId: number): void {
    const left = this.byAccount.get(accountId)! - 1;
    if (left === 0) this.byAccount.delete(accountId);
    else this.byAccount.set(accountId, left);
    this.total--;
  }
}

function tooMany(): RequestError {
  return RequestError.unavailable('Too many complete lists are being sent. Read those that are open, ask for pages, or try again.');
}
