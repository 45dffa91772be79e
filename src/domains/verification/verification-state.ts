import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/common/time';
import type { CertificateFinding } from './certificate-check';
import { CERTIFICATE_PROBLEMS, type Problem, type VerificationState } from './domain-verification.entity';

/** Waits between the checks of a series; the last one repeats. */
const WAITS_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS];
const SERIES_MS = 7 * DAY_MS;
/** Consecutive misses that end a verification, and the minimum time between two. */
const [MAX_MISSES, MISS_INTERVAL_MS] = [3, HOUR_MS];

/** Whether the TXT record was found. */
export type TxtFinding = 'found' | 'missing' | 'unreachable';

export interface CheckFinding {
  txt: TxtFinding;
  problems: readonly Problem[];
  /**
   * Undefined if no certificate is expected; `later` if this check verifies the host, so that the proxy can get one only now; `unknown` if
   * it can't be determined.
   */
  tls?: CertificateFinding | 'later' | 'unknown';
}

/** A series whose first check is due now. */
export function newSeries(now: number): VerificationState {
  const none = { checked: null, misses: 0, lastMiss: null, lost: null, problems: [], certificate: null };
  return { status: 'pending', isByOperator: false, started: now, checks: 0, due: now, ...none };
}

/** Verified until the operator's `unverify`; checks continue, to report problems. */
export function operatorVerifiedState(state: VerificationState, now: number): VerificationState {
  return { ...state, status: 'verified', isByOperator: true, due: state.due ?? now, misses: 0, lastMiss: null, lost: null };
}

/** A new series for a domain that is no longer verified. */
export function unverifiedState(now: number): VerificationState {
  return { ...newSeries(now), lost: now };
}

/** State after a check. A check that was requested reschedules the next one only if it changes the status. */
export function stateAfter(before: VerificationState, found: CheckFinding, now: number, isRequested: boolean): VerificationState {
  const state = { ...before, checked: now, problems: found.problems };
  const after = applyTxtFinding(state, found.txt, now, isRequested);
  const isKept = isRequested && after.status === before.status;
  return withCertificate(isKept ? { ...after, checks: before.checks, due: before.due } : after, before, found, now);
}

/**
 * Keeps the known certificate while name servers are unreachable. A certificate problem, or a newly verified domain, is checked again
 * within an hour.
 */
function withCertificate(after: VerificationState, before: VerificationState, found: CheckFinding, now: number): VerificationState {
  if (after.status !== 'verified') return { ...after, certificate: null };
  if (found.tls === 'later' && before.status !== 'verified')
    return { ...after, certificate: null, due: Math.min(after.due ?? Infinity, now + HOUR_MS) };
  const isUnknown = typeof found.tls === 'string' || found.problems.some(({ code }) => code === 'dns_unreachable');
  const known = isUnknown ? { certificate: before.certificate, problem: certificateProblem(before) } : { certificate: null };
  const { certificate, problem }: CertificateFinding = typeof found.tls === 'object' ? found.tls : known;
  if (!problem) return { ...after, certificate };
  return { ...after, certificate, problems: [...after.problems, problem], due: Math.min(after.due ?? Infinity, now + HOUR_MS) };
}

export function certificateProblem({ problems }: Pick<VerificationState, 'problems'>): Problem | undefined {
  const codes: readonly string[] = CERTIFICATE_PROBLEMS;
  return problems.find(({ code }) => codes.includes(code));
}

function applyTxtFinding(state: VerificationState, txt: TxtFinding, now: number, isRequested: boolean): VerificationState {
  if (state.isByOperator) return { ...state, due: now + DAY_MS };
  if (txt === 'found') return { ...state, status: 'verified', due: now + DAY_MS, misses: 0, lastMiss: null, lost: null };
  if (state.status === 'verified') return txt === 'missing' ? countMiss(state, now) : { ...state, due: now + DAY_MS };
  if (state.status === 'failed') return isRequested && txt === 'missing' ? restartSeries({ ...state, lost: null }, now) : state;
  if (txt === 'missing' && now >= state.started + SERIES_MS) return { ...state, status: 'failed', due: null };
  return scheduleNext(state, now);
}

function countMiss(state: VerificationState, now: number): VerificationState {
  const counts = state.lastMiss === null || now - state.lastMiss >= MISS_INTERVAL_MS;
  if (!counts) return { ...state, due: now + DAY_MS };
  const misses = state.misses + 1;
  return misses < MAX_MISSES ? { ...state, misses, lastMiss: now, due: now + DAY_MS } : restartSeries({ ...state, lost: now }, now);
}

/** Starts a new series of checks with the current one. */
function restartSeries(state: VerificationState, now: number): VerificationState {
  return scheduleNext({ ...state, status: 'pending', started: now, checks: 0, misses: 0, lastMiss: null }, now);
}

function scheduleNext(state: VerificationState, now: number): VerificationState {
  const wait = WAITS_MS[Math.min(state.checks, WAITS_MS.length - 1)];
  return { ...state, checks: state.checks + 1, due: now + wait };
}
