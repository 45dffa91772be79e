import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Config } from '../../config/config';
import type { Quota } from '../../quotas/quota';
import type { Verdict } from '../channels/channel';
import { CHANNELS } from '../channels/channel-table';
import type { SlotUse } from './slots';

/** A delivery that this process attempts, alone until the lease ends. */
export interface Claim {
  readonly id: number;
  readonly accountId: number;
  readonly messageId: number;
  readonly handlerId: number;
  readonly type: string;
  readonly lane: string;
  /** Of the attempt that starts with the claim, from 1. */
  readonly number: number;
  /** Attempts ended in this series of waits. */
  readonly tries: number;
  readonly lease: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** Whether the account has used up today's limit for the type. */
  readonly isOverLimit: boolean;
}

/** A claim that takes a slot of this process. */
export interface SlotClaim extends Claim {
  readonly use: SlotUse;
}

/**
 * How a claim ended. `given back`: nothing was sent, and the attempt doesn't count. `cancelled`: its handler can't be used any
 * more.
 */
export type Ending = Ended | 'given back' | 'cancelled';

export interface Ended {
  verdict: Verdict;
  durationMs: number;
  /** Milliseconds since 1970. */
  time: number;
  /** Another process has waited for the lease to end: no further wait. */
  hasLapsed?: boolean;
}

export interface Settlement {
  claim: Claim;
  ending: Ending;
}

export function isEnded(ending: Ending): ending is Ended {
  return typeof ending === 'object';
}

/** The whole of an attempt: name, connection, request and answer. */
export const DEADLINE_MS = 10_000;

/** Longer than the deadline: the rest is slack for pauses of this process and differences between the clocks of machines. */
export const LEASE_MS = 30_000;

/** Tokens that tell each cycle's leases apart, and this process's from others'. */
@Injectable()
export class Leases {
  private readonly process = `${randomBytes(12).toString('hex')}-`;
  private cycles = 0;

  next(): string {
    this.cycles++;
    return `${this.process}${this.cycles.toString(36)}`;
  }
}

/** An account's, for a handler type; undefined without a limit. */
export function dailyQuota({ deliveries }: Config, type: string): Quota | undefined {
  const limit = deliveries.dailyLimits.get(type);
  return limit === undefined ? undefined : { name: `deliveries:${type}`, limit, window: 'day' };
}

/** The attempt may have been sent, and its answer is lost. */
export function noAnswer({ type, started }: Pick<Claim, 'type' | 'started'>, now: number): Ended {
  const detail = 'The service stopped before an answer came.';
  const verdict: Verdict = { outcome: 'unknown', isFinal: CHANNELS.get(type)?.isPaid ?? true, status: null, detail };
  return { verdict, durationMs: Math.min(now - started, LEASE_MS), time: now };
}
