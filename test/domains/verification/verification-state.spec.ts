import type { VerificationState } from '../../../src/domains/verification/domain-verification.entity';
import { newSeries, stateAfter, type TxtFinding, verifiedByOperator } from '../../../src/domains/verification/verification-state';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const START = Date.parse('2026-11-21T12:00:00Z');

const check = (state: VerificationState, txt: TxtFinding, now: number, isRequested = false) =>
  stateAfter(state, { txt, problems: [] }, now, isRequested);
const verified = () => check(newSeries(START), 'found', START);

/** Looks at each due time with the same finding, until there is none. Returns the waits. */
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

describe('pending', () => {
  test('is looked up after 10 s, 1, 5, 15 minutes, an hour, every 4 hours, and has failed after 7 days', () => {
    const { waits, last } = waitsOf(newSeries(START), 'missing');
    expect(waits.slice(0, 7)).toEqual([10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 4 * HOUR]);
    expect(new Set(waits.slice(5))).toEqual(new Set([4 * HOUR]));
    expect(last).toMatchObject({ status: 'failed', due: null });
    expect(last.checked).toBeGreaterThanOrEqual(START + 7 * DAY);
    expect(last.checked).toBeLessThan(START + 7 * DAY + 4 * HOUR);
  });

  test('stays so while DNS is unreachable, and fails with the first answer', () => {
    const { last } = waitsOf(newSeries(START), 'unreachable', 60);
    expect(last).toMatchObject({ status: 'pending', checks: 60 });
    expect(check(last, 'missing', START + 7 * DAY)).toMatchObject({ status: 'failed', due: null });
    expect(check(last, 'missing', START + 7 * DAY - 1)).toMatchObject({ status: 'pending' });
    expect(check(last, 'found', START + 7 * DAY)).toMatchObject({ status: 'verified', due: START + 8 * DAY });
  });

  test.each(['missing', 'unreachable'] as const)('keeps its next check when one is requested that finds it %s', (txt) => {
    const state = check(newSeries(START), 'missing', START);
    expect(check(state, txt, START + SECOND, true)).toEqual({ ...state, checked: START + SECOND });
  });
});

describe('failed', () => {
  const failed: VerificationState = { ...newSeries(START), status: 'failed', due: null, checks: 47 };
  const now = START + 30 * DAY;

  test('begins anew with a requested check that finds it missing', () => {
    const state = check(failed, 'missing', now, true);
    expect(state).toMatchObject({ status: 'pending', started: now, checks: 1, due: now + 10 * SECOND });
    expect(waitsOf(state, 'missing').waits[0]).toBe(MINUTE);
  });

  test('stays failed when no name server answers', () => {
    expect(check(failed, 'unreachable', now, true)).toMatchObject({ status: 'failed', checked: now, due: null });
  });

  test('is verified by a requested check that finds the record', () => {
    expect(check(failed, 'found', now, true)).toMatchObject({ status: 'verified', due: now + DAY });
  });
});

describe('verified', () => {
  test('is looked up daily', () => {
    expect(waitsOf(verified(), 'found', 5).waits).toEqual(Array(5).fill(DAY));
    expect(waitsOf(verified(), 'unreachable', 50).last).toMatchObject({ status: 'verified', misses: 0 });
  });

  test('is pending after three misses in a row, and its series begins anew', () => {
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

  test('forgets misses when the record is found', () => {
    const { last } = waitsOf(verified(), 'missing', 2);
    const found = check(last, 'found', last.due!);
    expect(found).toMatchObject({ status: 'verified', misses: 0, lastMiss: null });
    expect(waitsOf(found, 'missing', 2).last).toMatchObject({ status: 'verified', misses: 2 });
  });

  test('keeps its misses while DNS is unreachable', () => {
    const { last } = waitsOf(verified(), 'missing', 2);
    expect(check(last, 'unreachable', last.due!)).toMatchObject({ status: 'verified', misses: 2, lastMiss: last.lastMiss });
  });

  test('counts at most one miss per hour', () => {
    let state = verified();
    for (let minute = 0; minute < 120; minute++) state = check(state, 'missing', START + minute * MINUTE, true);
    expect(state).toMatchObject({ status: 'verified', misses: 2, due: START + DAY });
    expect(check(state, 'missing', START + 120 * MINUTE, true)).toMatchObject({ status: 'pending', started: START + 120 * MINUTE });
  });

  test('keeps its next check when one is requested', () => {
    for (const txt of ['found', 'missing', 'unreachable'] as const)
      expect(check(verified(), txt, START + HOUR, true)).toMatchObject({ status: 'verified', due: START + DAY, checked: START + HOUR });
  });
});

describe('verified by the operator', () => {
  test('stays so, and is looked up daily for the problems', () => {
    const failed: VerificationState = { ...newSeries(START), status: 'failed', due: null };
    const state = verifiedByOperator(failed, START);
    expect(state).toMatchObject({ status: 'verified', isByOperator: true, due: START });
    const { waits, last } = waitsOf(state, 'missing', 5);
    expect(waits).toEqual(Array(5).fill(DAY));
    expect(last).toMatchObject({ status: 'verified', isByOperator: true, misses: 0 });
  });

  test('keeps the next check that is planned', () => {
    expect(verifiedByOperator(check(newSeries(START), 'missing', START), START + SECOND)).toMatchObject({ due: START + 10 * SECOND });
  });
});

test('the problems are those of the last check', () => {
  const problems = [{ code: 'target_missing', detail: 'x' }] as const;
  const state = stateAfter(newSeries(START), { txt: 'found', problems }, START, false);
  expect(state.problems).toEqual(problems);
  expect(check(state, 'unreachable', START + 1).problems).toEqual([]);
});
