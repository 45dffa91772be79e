import type { Problem, VerificationStatus } from './domain-verification.entity';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Between the looks of a series; the last one repeats. */
const WAITS_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS];
const SERIES_MS = 7 * DAY_MS;
/** How far ahead a look can be due, and how far the clocks of machines may differ. */
export const MAX_WAIT_MS = DAY_MS + MINUTE_MS;
/** Misses in a row that end a verification, and the least time between two. */
const [MAX_MISSES, MISS_INTERVAL_MS] = [3, HOUR_MS];

/** Columns of a verification that looks change. Times in milliseconds since 1970. */
export interface VerificationState {
  status: VerificationStatus;
  isByOperator: boolean;
  /** When the series of looks began. */
  begun: number;
  /** Looks of the series. */
  looks: number;
  checked: number | null;
  due: number | null;
  /** Looks in a row that got an answer without the record, while verified. */
  misses: number;
  lastMiss: number | null;
  problems: readonly Problem[];
}

/** Whether the TXT record was found. */
export type TxtFinding = 'found' | 'missing' | 'unreachable';

export interface Look {
  txt: TxtFinding;
  problems: readonly Problem[];
}

/** A series whose first look is due now. */
export function newSeries(now: number): VerificationState {
  const none = { checked: null, misses: 0, lastMiss: null, problems: [] };
  return { status: 'pending', isByOperator: false, begun: now, looks: 0, due: now, ...none };
}

/** Verified by the operator, until that ends it: looks go on for the problems. */
export function verifiedByOperator(state: VerificationState, now: number): VerificationState {
  return { ...state, status: 'verified', isByOperator: true, due: state.due ?? now, misses: 0, lastMiss: null };
}

/** State after a check. A requested one doesn't move the next, unless it changes the status. */
export function stateAfter(before: VerificationState, look: Look, now: number, isRequested: boolean): VerificationState {
  const state = { ...before, checked: now, problems: look.problems };
  const after = judge(state, look.txt, now, isRequested);
  const isKept = isRequested && after.status === before.status;
  return isKept ? { ...after, looks: before.looks, due: before.due } : after;
}

function judge(state: VerificationState, txt: TxtFinding, now: number, isRequested: boolean): VerificationState {
  if (state.isByOperator) return { ...state, due: now + DAY_MS };
  if (txt === 'found') return { ...state, status: 'verified', due: now + DAY_MS, misses: 0, lastMiss: null };
  if (state.status === 'verified') return txt === 'missing' ? miss(state, now) : { ...state, due: now + DAY_MS };
  if (state.status === 'failed') return isRequested && txt === 'missing' ? beginAnew(state, now) : state;
  if (txt === 'missing' && now >= state.begun + SERIES_MS) return { ...state, status: 'failed', due: null };
  return waitForNext(state, now);
}

function miss(state: VerificationState, now: number): VerificationState {
  const counts = state.lastMiss === null || now - state.lastMiss >= MISS_INTERVAL_MS;
  if (!counts) return { ...state, due: now + DAY_MS };
  const misses = state.misses + 1;
  return misses < MAX_MISSES ? { ...state, misses, lastMiss: now, due: now + DAY_MS } : beginAnew(state, now);
}

/** This look is the first of the new series. */
function beginAnew(state: VerificationState, now: number): VerificationState {
  return waitForNext({ ...state, status: 'pending', begun: now, looks: 0, misses: 0, lastMiss: null }, now);
}

function waitForNext(state: VerificationState, now: number): VerificationState {
  const wait = WAITS_MS[Math.min(state.looks, WAITS_MS.length - 1)];
  return { ...state, looks: state.looks + 1, due: now + wait };
}
