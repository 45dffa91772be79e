import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { RequestError } from '../http/errors/request-error';

/** Who has waited for so long is better told to come again. */
const WAIT_MILLISECONDS = 1_000;
/** So many of an account's requests have a turn. */
const MAX_WAITING = 100;
/** The part of all places that one account may have: the rest waits for the others. */
const SHARE = 0.8;

interface Waiter {
  admit: () => void;
}

/** A request that waits: `admitted` when it has a place. */
export interface Entry {
  admitted: Promise<void>;
  /** For a client that has gone. */
  cancel: () => void;
}

/**
 * Keeps the number of requests at work to what the database takes. The others wait for a short time, and the accounts take
 * turns, so that one that asks for much makes its own requests wait, and not those of others.
 */
@Injectable()
export class Admission {
  private readonly max: number;
  private readonly maxOfAccount: number;
  private readonly atWork = new Map<number, number>();
  /** Whose turn it is stands first. */
  private readonly queues = new Map<number, Set<Waiter>>();
  private total = 0;

  constructor({ maxInFlight }: Config) {
    this.max = maxInFlight;
    this.maxOfAccount = Math.max(1, Math.floor(maxInFlight * SHARE));
  }

  get inFlight(): number {
    return this.total;
  }

  get waiting(): number {
    return [...this.queues.values()].reduce((sum, queue) => sum + queue.size, 0);
  }

  /** Takes a place when there is one and nobody of the account waits for it. */
  tryEnter(accountId: number): boolean {
    if (this.queues.has(accountId) || !this.hasPlace(accountId)) return false;
    this.take(accountId);
    return true;
  }

  /** Waits for a place; where too many wait already, in vain: who is refused at once comes back at once. @throws RequestError 503 unavailable */
  enter(accountId: number): Entry {
    const queue = this.queues.get(accountId) ?? new Set();
    this.queues.set(accountId, queue);
    let cancel = () => {};
    const admitted = new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      cancel = () => {
        this.remove(accountId, waiter);
        reject(overloaded());
      };
      const timer = setTimeout(cancel, WAIT_MILLISECONDS);
      if (queue.size < MAX_WAITING) queue.add(waiter);
    });
    return { admitted, cancel };
  }

  /**
   * Gives a place back when what has come meanwhile has been looked at: the embedded database answers in the turn of the event
   * loop in which it is asked, and whoever has the most connections would have every place of each turn.
   */
  leave(accountId: number): void {
    setImmediate(() => this.giveBack(accountId));
  }

  private giveBack(accountId: number): void {
    const left = this.atWork.get(accountId)! - 1;
    if (left === 0) this.atWork.delete(accountId);
    else this.atWork.set(accountId, left);
    this.total--;
    this.admitNext();
  }

  private hasPlace(accountId: number): boolean {
    return this.total < this.max && (this.atWork.get(accountId) ?? 0) < this.maxOfAccount;
  }

  private take(accountId: number): void {
    this.total++;
    this.atWork.set(accountId, (this.atWork.get(accountId) ?? 0) + 1);
  }

  /** The account whose turn it is goes behind the others. */
  private admitNext(): void {
    for (const [accountId, queue] of this.queues) {
      if (!this.hasPlace(accountId)) continue;
      const [waiter] = queue;
      this.queues.delete(accountId);
      queue.delete(waiter);
      if (queue.size > 0) this.queues.set(accountId, queue);
      this.take(accountId);
      waiter.admit();
      return;
    }
  }

  private remove(accountId: number, waiter: Waiter): void {
    const queue = this.queues.get(accountId);
    queue?.delete(waiter);
    if (queue?.size === 0) this.queues.delete(accountId);
  }
}

function overloaded(): RequestError {
  return RequestError.unavailable('The service has more requests than it can carry out. Try again.');
}
