import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

export const WINDOW_SECONDS = 60;

/** Where an account stands within its minute, with the request that was just counted. */
export interface Standing {
  isOver: boolean;
  remaining: number;
  /** Until the account's next minute; at least 1. */
  seconds: number;
}

/** Counts a request, wherever the limiter keeps its counts. @throws Error when it can't be counted there */
export async function countWith(limiter: RateLimiterAbstract, accountId: number): Promise<Standing> {
  try {
    return standing(await limiter.consume(accountId), false);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return standing(refusal, true); // the library throws what is no error
    throw refusal;
  }
}

function standing({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Standing {
  return { isOver, remaining: remainingPoints, seconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
}
