import type { VerificationState } from '../../../src/domains/verification/domain-verification.entity';
import { newSeries, stateAfter, type TxtFinding, operatorVerifiedState } from '../../../src/domains/verification/verification-state';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const START = Date.parse('2026-11-21T12:00:00Z');

const check = (state: VerificationState, txt: TxtFinding, now: number, isRequested = false) =>
  stateAfter(state, { txt, problems: [] }, now, isRequested);
const verified = () => check(newSeries(START), 'found', START);

/** Checks at each due time with the same finding, while one is due. Returns the waits. */
function waitsOf(first: VerificationState, txt: TxtFinding, most = 100): { waits: number[]; last: VerificationState } {
  const waits: number[] = [];
  let state = first;
  while (state.due !== null && waits.length < most) {
    const now = state.due;
    state = check(state, txt, now);
    if (state.due !== null) waits.push(state.due - now);
  }
  return { waits, last: state };
}

describe('pending domain', () => {
  test('a pending domain is checked on the retry schedule and fails after 7 days', () => {
    const { waits, last } = waitsOf(newSeries(START), 'missing');
    expect(waits.slice(0, 7)).toEqual([10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 4 * HOUR]);
    expect(new Set(waits.slice(5))).toEqual(new Set([4 * HOUR]));
    expect(last).toMatchObject({ status: 'failed', due: null });
    expect(last.checked).toBeGreaterThanOrEqual(START + 7 * DAY);
    expect(last.checked).toBeLessThan(START + 7 * DAY + 4 * HOUR);
  });

  test('a pending domain stays pending while DNS is unreachable', () => {
    const { last } = waitsOf(newSeries(START), 'unreachable', 60);
    expect(last).toMatchObject({ status: 'pending', checks: 60 });
    expect(check(last, 'missing', START + 7 * DAY)).toMatchObject({ status: 'failed', due: null });
    expect(check(last, 'missing', START + 7 * DAY - 1)).toMatchObject({ status: 'pending' });
    expect(check(last, 'found', START + 7 * DAY)).toMatchObject({ status: 'verified', due: START + 8 * DAY });
  });

  test.each(['missing', 'unreachable'] as const)('a requested check that finds the record %s keeps the next check', (txt) => {
    const state = check(newSeries(START), 'missing', START);
    expect(check(state, txt, START + SECOND, true)).toEqual({ ...state, checked: START + SECOND });
  });
});

describe('failed domain', () => {
  const failed: VerificationState = { ...newSeries(START), status: 'failed', due: null, checks: 47 };
  const now = START + 30 * DAY;

  test('a requested check of a failed domain starts a new series', () => {
    const state = check(failed, 'missing', now, true);
    expect(state).toMatchObject({ status: 'pending', started: now, checks: 1, due: now + 10 * SECOND });
    expect(waitsOf(state, 'missing').waits[0]).toBe(MINUTE);
  });

  test('a failed domain stays failed while DNS is unreachable', () => {
    expect(check(failed, 'unreachable', now, true)).toMatchObject({ status: 'failed', checked: now, due: null });
  });

  test('a requested check verifies a failed domain', () => {
    expect(check(failed, 'found', now, true)).toMatchObject({ status: 'verified', due: now + DAY });
  });
});

describe('verified domain', () => {
  test('a verified domain is checked daily', () => {
    expect(waitsOf(verified(), 'found', 5).waits).toEqual(Array(5).fill(DAY));
    expect(waitsOf(verified(), 'unreachable', 50).last).toMatchObject({ status: 'verified', misses: 0 });
  });

  test('three consecutive misses make a verified domain pending, in a new series', () => {
    const { last } = waitsOf(verified(), 'missing', 2);
    expect(last).toMatchObject({ status: 'verified', misses: 2 });
    const now = last.due!;
    expect(check(last, 'missing', now)).toMatchObject({
      status: 'pending',
      started: now,
      checks: 1,
      due: now + 10 * SECOND,
      misses: 0,
      lost: now,
    });
    expect(check(check(last, 'missing', now), 'found', now + DAY)).toMatchObject({ status: 'verified', lost: null });
  });

  test('a found record resets the misses, and unreachable DNS keeps them', () => {
    const { last } = waitsOf(verified(), 'missing', 2);
    const found = check(last, 'found', last.due!);
    expect(found).toMatchObject({ status: 'verified', misses: 0, lastMiss: null });
    expect(waitsOf(found, 'missing', 2).last).toMatchObject({ status: 'verified', misses: 2 });
    expect(check(last, 'unreachable', last.due!)).toMatchObject({ status: 'verified', misses: 2, lastMiss: last.lastMiss });
  });

  test('at most one miss per hour counts', () => {
    let state = verified();
    for (let minute = 0; minute < 120; minute++) state = check(state, 'missing', START + minute * MINUTE, true);
    expect(state).toMatchObject({ status: 'verified', misses: 2, due: START + DAY });
    expect(check(state, 'missing', START + 120 * MINUTE, true)).toMatchObject({ status: 'pending', started: START + 120 * MINUTE });
  });

  test('a requested check of a verified domain keeps the next check', () => {
    for (const txt of ['found', 'missing', 'unreachable'] as const)
      expect(check(verified(), txt, START + HOUR, true)).toMatchObject({ status: 'verified', due: START + DAY, checked: START + HOUR });
  });
});

describe('domain verified by the operator', () => {
  test('an operator’s verification persists, with daily checks for problems', () => {
    const failed: VerificationState = { ...newSeries(START), status: 'failed', due: null };
    const state = operatorVerifiedState(failed, START);
    expect(state).toMatchObject({ status: 'verified', isByOperator: true, due: START });
    const { waits, last } = waitsOf(state, 'missing', 5);
    expect(waits).toEqual(Array(5).fill(DAY));
    expect(last).toMatchObject({ status: 'verified', isByOperator: true, misses: 0 });
  });

  test('an operator’s verification keeps the next check', () => {
    expect(operatorVerifiedState(check(newSeries(START), 'missing', START), START + SECOND)).toMatchObject({ due: START + 10 * SECOND });
  });
});

test('a check replaces the problems', () => {
  const problems = [{ code: 'target_missing', detail: 'x' }] as const;
  const state = stateAfter(newSeries(START), { txt: 'found', problems }, START, false);
  expect(state.problems).toEqual(problems);
  expect(check(state, 'unreachable', START + 1).problems).toEqual([]);
});
