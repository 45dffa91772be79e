import { IntegerQueue } from '../../../src/platform/common/integer-queue';
import { inFairOrder } from '../../../src/platform/jobs/due-rows';
import { capacityOf, type Lane, laneOf, applyEnding, slotUseOf } from '../../../src/deliveries/queue/lane';
import { Slots, type SlotUse } from '../../../src/deliveries/queue/slots';
import type { Claim, AttemptResult } from '../../../src/deliveries/queue/claim';
import { nextStateOf } from '../../../src/deliveries/queue/next-state';
import type { Verdict } from '../../../src/deliveries/channels/channel';

const NOW = 1_800_000_000_000;
const lane = (given: Partial<Lane> = {}): Lane => ({
  name: 'webhook:1',
  accountId: 1,
  available: NOW,
  pausedUntil: 0,
  isSlow: false,
  lastMs: 5,
  lastClaim: 0,
  inFlight: 0,
  oldestLease: Infinity,
  pending: [],
  ...given,
});
const claim = (tries = 0) => ({ id: 1, tries, type: 'webhook' }) as Claim;
const ended = (verdict: Partial<Verdict>): AttemptResult => ({
  verdict: { outcome: 'server_error', isFinal: false, status: 503, detail: '', ...verdict },
  durationMs: 5,
  time: NOW,
});

describe('Slots', () => {
  const ALL = 256;
  const taken = (slots: Slots, accountId: number, use: SlotUse) => {
    let count = 0;
    while (slots.tryTake(accountId, use)) count++;
    return count;
  };
  const shared = (max = ALL) => new Slots(max).copy(new Set([1, 2]));
  /** Slots of which each account has taken all it can. */
  const crowded = (use: SlotUse) => {
    const slots = shared();
    for (let account = 1; account <= 200; account++) taken(slots, account, use);
    return slots;
  };

  test('an account gets at most half of the slots while another has deliveries due', () => {
    expect([taken(shared(), 1, 'fast'), taken(new Slots(ALL).copy(new Set([1])), 1, 'fast')]).toEqual([128, 256]);
  });

  test.each(['slow', 'untried', 'first'] as const)('an account gets at most an eighth of the slots for %s attempts', (use) => {
    expect(taken(shared(), 1, use)).toBe(32);
  });

  test.each(['slow', 'untried'] as const)('%s attempts of all accounts leave a quarter of the slots for fast ones', (use) => {
    const slots = crowded(use);
    expect([slots.hasRoomForSlow, taken(slots, 201, 'fast')]).toEqual([false, 64]);
  });

  test('slow attempts of all accounts leave slots for one first attempt per account', () => {
    const slots = crowded('slow');
    expect([taken(slots, 201, 'untried'), taken(slots, 201, 'first'), taken(slots, 202, 'first')]).toEqual([0, 1, 1]);
    slots.release(201, 'first');
    expect(taken(slots, 201, 'first')).toBe(1);
  });

  test('freed slots go to slow attempts that wait behind fast ones', () => {
    const slots = shared();
    for (const account of [1, 2]) taken(slots, account, 'fast');
    expect(taken(slots, 3, 'slow')).toBe(0);
    slots.release(1, 'fast');
    expect(taken(slots, 3, 'slow')).toBe(1);
  });

  test('taking slots of a copy leaves the original unchanged', () => {
    const slots = new Slots(ALL);
    slots.take(1, 'slow');
    expect([taken(slots.copy(new Set([1, 2])), 1, 'slow'), slots.usedBy(1)]).toEqual([31, 1]);
  });

  test('a single slot may be taken for any attempt', () => {
    for (const use of ['fast', 'slow', 'untried', 'first'] as const) expect(taken(shared(1), 2, use)).toBe(1);
  });

  test('lanes of the accounts with the fewest slots come first', () => {
    const slots = new Slots(ALL);
    slots.take(1, 'fast');
    const lanes = [1, 1, 2, 2, 3].map((accountId, index) => ({ accountId, name: String(index) }));
    expect(inFairOrder(lanes, (accountId) => slots.usedBy(accountId)).map(({ name }) => name)).toEqual(['2', '4', '0', '3', '1']);
  });
});

describe('delivery lane', () => {
  test('each handler has a lane, and an account’s calls share one', () => {
    expect(laneOf({ type: 'slack', handlerId: 7 }, 3)).toBe('slack:7');
    expect(laneOf({ type: 'twilio_call', handlerId: 7 }, 3)).toBe(laneOf({ type: 'twilio_call', handlerId: 8 }, 3));
    expect(laneOf({ type: 'twilio_call', handlerId: 7 }, 3)).not.toBe(laneOf({ type: 'twilio_call', handlerId: 7 }, 4));
  });

  test.each([
    ['by default', {}, 4],
    ['with three in flight', { inFlight: 3 }, 1],
    ['after a slow response', { isSlow: true, lastMs: 2_000 }, 4],
    ['after a timeout', { isSlow: true, lastMs: 10_000 }, 1],
    ['after a timeout with two in flight', { isSlow: true, lastMs: 10_000, inFlight: 2 }, 0],
    ['during Retry-After', { pausedUntil: NOW + 1 }, 0],
    ['for a rate-limited type', { name: 'slack:1' }, 1],
    ['within a second of the last claim', { name: 'telegram:1', lastClaim: NOW - 999 }, 0],
    ['a second after the last claim', { name: 'twilio_call:account:1', lastClaim: NOW - 1_000 }, 1],
  ])('the capacity of a lane %s', (_, given, capacity) => {
    expect(capacityOf(lane(given), NOW)).toBe(capacity);
  });

  test.each([
    ['first', { lastMs: null }],
    ['untried', { lastMs: null, inFlight: 1 }],
    ['fast', { lastMs: 1_000, inFlight: 1 }],
    ['slow', { lastMs: 1_001, isSlow: true }],
  ])('the next attempt of a lane is %s', (use, given) => expect(slotUseOf(lane(given))).toBe(use));

  test('an attempt updates whether its receiver is slow or paused', () => {
    const afterEnding = (ending: Parameters<typeof applyEnding>[1], given?: Partial<Lane>) => {
      const state = lane(given);
      applyEnding(state, ending);
      return state;
    };
    expect(afterEnding('released')).toMatchObject({ isSlow: false, lastMs: 5, pausedUntil: 0 });
    expect(afterEnding(ended({ outcome: 'timeout' }))).toMatchObject({ isSlow: true, lastMs: 10_000 });
    expect(afterEnding({ ...ended({ outcome: 'delivered' }), durationMs: 12_000 })).toMatchObject({ isSlow: true, lastMs: 9_999 });
    expect(afterEnding({ ...ended({ outcome: 'unknown', status: null }), durationMs: 12_000 })).toMatchObject({ lastMs: 12_000 });
    expect(afterEnding({ ...ended({ outcome: 'delivered' }), durationMs: 1_001 })).toMatchObject({ isSlow: true, lastMs: 1_001 });
    expect(afterEnding(ended({ outcome: 'delivered' }), { isSlow: true })).toMatchObject({ isSlow: false });
    expect(afterEnding(ended({ outcome: 'daily_limit' }), { lastMs: null })).toMatchObject({ lastMs: null });
    expect(afterEnding(ended({ outcome: 'rate_limited', retryAfterMs: 7_000 }))).toMatchObject({ pausedUntil: NOW + 7_000 });
  });
});

describe('nextStateOf()', () => {
  const WAITS = { waitsMs: [5_000, 30_000], jitter: 0.1 };

  test('nextStateOf() returns delivered, failed or the next attempt', () => {
    expect(nextStateOf(claim(), ended({ outcome: 'delivered' }), WAITS)).toEqual({ status: 'delivered', nextAttempt: null });
    expect(nextStateOf(claim(), ended({ isFinal: true }), WAITS)).toEqual({ status: 'failed', nextAttempt: null });
    expect(nextStateOf(claim(2), ended({}), WAITS)).toEqual({ status: 'failed', nextAttempt: null });
  });

  test('jitter is at most 10 %', () => {
    for (const random of [0, 0.5, 0.999_999]) {
      jest.spyOn(Math, 'random').mockReturnValue(random);
      const { nextAttempt } = nextStateOf(claim(1), ended({}), WAITS);
      expect(nextAttempt).toBe(NOW + 27_000 + Math.round(6_000 * random));
    }
  });

  test('a Retry-After longer than the scheduled wait is used', () => {
    const { nextAttempt } = nextStateOf(claim(), ended({ retryAfterMs: 60_000 }), WAITS);
    expect(nextAttempt).toBe(NOW + 60_000);
  });

  test('an attempt whose lease expired is retried without another wait', () => {
    expect(nextStateOf(claim(1), { ...ended({ outcome: 'unknown' }), hasLapsed: true }, WAITS)).toEqual({
      status: 'pending',
      nextAttempt: NOW,
    });
  });
});

describe('IntegerQueue', () => {
  const COUNT = 20_000;

  let queue: IntegerQueue;

  beforeEach(() => {
    queue = new IntegerQueue();
    for (let integer = 1; integer <= COUNT; integer++) queue.add(integer);
  });

  test('take() returns each integer once, in order', () => {
    expect(queue.length).toBe(COUNT);
    const taken = [];
    while (queue.length > 0) taken.push(...queue.take(700));
    expect(taken).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    expect(queue.take(1)).toEqual([]);
  });

  test('an emptied queue can be refilled', () => {
    queue.take(COUNT);
    queue.add(7);
    expect([queue.length, queue.take(2)]).toEqual([1, [7]]);
  });

  test.each([1, 100, 8_192, 8_193, 16_385, COUNT])('dropThrough(%d) drops everything up to and including it', (integer) => {
    queue.take(integer % 3);
    expect(integer === 1 || queue.dropThrough(integer)).toBe(true);
    expect(queue.take(1)).toEqual(integer === COUNT ? [] : [integer + 1]);
  });

  test('dropThrough() drops nothing if the integer is absent or taken', () => {
    queue.take(10_000);
    for (const absent of [0, 5, 9_999, COUNT + 1]) expect(queue.dropThrough(absent)).toBe(false);
    expect(queue.take(1)).toEqual([10_001]);
  });
});
