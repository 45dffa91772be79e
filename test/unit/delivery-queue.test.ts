import { FairShare } from '../../src/deliveries/queue/fair-share';
import { capacityOf, depthOf, type Lane, laneOf } from '../../src/deliveries/queue/lane';
import { Places } from '../../src/deliveries/queue/places';
import { nextStateOf, noteEnding } from '../../src/deliveries/queue/next-state';
import type { Claim, Ended } from '../../src/deliveries/queue/claim';
import { ClaimedWork } from '../../src/deliveries/sending/claimed-work';
import type { Verdict } from '../../src/deliveries/channels/channel';

const NOW = 1_800_000_000_000;
const lane = (given: Partial<Lane> = {}): Lane => ({
  ...{ name: 'webhook:1', accountId: 1, available: NOW, pausedUntil: 0, inFlight: 0, isSlow: false, lastClaim: 0, depth: 4 },
  ...given,
});
const claim = (tries = 0) => ({ id: 1, tries, type: 'webhook' }) as Claim;
const ended = (verdict: Partial<Verdict>): Ended => ({
  verdict: { outcome: 'server_error', isFinal: false, status: 503, detail: '', ...verdict },
  ...{ durationMs: 5, time: NOW },
});

describe('places', () => {
  const taken = (share: FairShare, accountId: number) => {
    let count = 0;
    while (share.tryTake({ accountId, name: `webhook:${accountId}` })) count++;
    return count;
  };
  const limits = { places: new Places(32), ahead: 0, isFast: () => false, isInstant: () => false };

  test('a quarter stays free for others while one account alone has something due', () => {
    expect(taken(new FairShare(limits, new Set([1])), 1)).toBe(24);
  });

  test('an account has half at most while another has something due', () => {
    const share = new FairShare(limits, new Set([1, 2]));
    expect([taken(share, 1), taken(share, 2), taken(share, 3)]).toEqual([16, 16, 0]);
  });

  test('places in use count', () => {
    expect(taken(new FairShare({ ...limits, places: new Places(32, new Map([[1, 10]])) }, new Set([1, 2])), 1)).toBe(6);
  });

  test('a single place is anybody’s', () => {
    expect(taken(new FairShare({ ...limits, places: new Places(1) }, new Set([1, 2])), 2)).toBe(1);
  });

  test('only fast lanes are claimed ahead', () => {
    const share = new FairShare({ ...limits, places: new Places(2), ahead: 5, isFast: (name) => name === 'webhook:1' }, new Set([1, 2]));
    expect([taken(share, 1), taken(share, 2)]).toEqual([6, 1]);
  });
});

describe('lanes', () => {
  test('only an instant receiver’s lane without a foreign lease is claimed deeper, never a paced one', () => {
    expect([depthOf(lane(), true, 0), depthOf(lane(), true, 1), depthOf(lane(), false, 0)]).toEqual([8, 4, 4]);
    expect(depthOf(lane({ name: 'slack:1' }), true, 0)).toBe(4);
  });

  test('a handler has its own, an account’s calls share one', () => {
    expect(laneOf({ type: 'slack', handlerId: 7 }, 3)).toBe('slack:7');
    expect(laneOf({ type: 'twilio_call', handlerId: 7 }, 3)).toBe(laneOf({ type: 'twilio_call', handlerId: 8 }, 3));
    expect(laneOf({ type: 'twilio_call', handlerId: 7 }, 3)).not.toBe(laneOf({ type: 'twilio_call', handlerId: 7 }, 4));
  });

  test.each([
    ['four at once', {}, 4],
    ['less those in flight', { inFlight: 3 }, 1],
    ['one after a timeout', { isSlow: true }, 1],
    ['none beside it', { isSlow: true, inFlight: 2 }, 0],
    ['none while the receiver asked to wait', { pausedUntil: NOW + 1 }, 0],
    ['one of a paced type', { name: 'slack:1' }, 1],
    ['none within a second of the last', { name: 'telegram:1', lastClaim: NOW - 999 }, 0],
    ['one after a second', { name: 'twilio_call:account:1', lastClaim: NOW - 1_000 }, 1],
  ])('%s', (_, given, capacity) => {
    expect(capacityOf(lane(given), NOW)).toBe(capacity);
  });

  test('an attempt’s end shows whether the receiver is slow or busy', () => {
    const released = (ending: Parameters<typeof noteEnding>[1], given?: Partial<Lane>) => {
      const state = lane(given);
      noteEnding(state, ending);
      return state;
    };
    expect(released('given back')).toMatchObject({ isSlow: false, pausedUntil: 0 });
    expect(released(ended({ outcome: 'timeout' }))).toMatchObject({ isSlow: true });
    expect(released(ended({ outcome: 'delivered' }), { isSlow: true })).toMatchObject({ isSlow: false });
    expect(released(ended({ outcome: 'rate_limited', retryAfterMs: 7_000 }))).toMatchObject({ pausedUntil: NOW + 7_000 });
  });
});

describe('after an attempt', () => {
  const WAITS = [5_000, 30_000];

  test('a delivery is delivered, failed, or tried again', () => {
    expect(nextStateOf(claim(), ended({ outcome: 'delivered' }), WAITS)).toEqual({ status: 'delivered', nextAttempt: null });
    expect(nextStateOf(claim(), ended({ isFinal: true }), WAITS)).toEqual({ status: 'failed', nextAttempt: null });
    expect(nextStateOf(claim(2), ended({}), WAITS)).toEqual({ status: 'failed', nextAttempt: null });
  });

  test('a wait differs by a tenth at most', () => {
    for (const random of [0, 0.5, 0.999_999]) {
      jest.spyOn(Math, 'random').mockReturnValue(random);
      const { nextAttempt } = nextStateOf(claim(1), ended({}), WAITS);
      expect(nextAttempt).toBe(NOW + 27_000 + Math.round(6_000 * random));
    }
  });

  test('the receiver’s own wait counts when it is longer', () => {
    const { nextAttempt } = nextStateOf(claim(), ended({ retryAfterMs: 60_000 }), WAITS);
    expect(nextAttempt).toBe(NOW + 60_000);
  });

  test('a lapsed lease was wait enough', () => {
    expect(nextStateOf(claim(1), { ...ended({ outcome: 'unknown' }), hasLapsed: true }, WAITS)).toEqual({
      status: 'pending',
      nextAttempt: NOW,
    });
  });
});

describe('claimed work', () => {
  const claims = [1, 2, 3].map((id) => ({ id, accountId: 1, type: 'webhook', lane: 'webhook:1' }) as Claim);

  /** One place, and the endings of attempts in the test's hands. */
  function claimed() {
    const end: ((ending: Ended) => void)[] = [];
    const work = new ClaimedWork(1, () => undefined);
    const options = { mayWrite: () => true, giveBack: new AbortController().signal };
    work.add(claims, { attempt: () => new Promise((resolve) => end.push(resolve)), options, claimed: 0 });
    const endings = () => work.ended.map(({ claim: { id }, ending }) => [id, ending === 'given back' ? ending : 'ended']);
    return { work, end, endings };
  }

  test('fills a place that is freed', async () => {
    const { end, endings } = claimed();
    expect(end).toHaveLength(1);
    end[0](ended({ outcome: 'delivered', status: 200 }));
    await Promise.resolve();
    expect([end.length, endings()]).toEqual([2, [[1, 'ended']]]);
  });

  test('gives back what waits for a receiver that has just refused', async () => {
    const { end, endings } = claimed();
    end[0](ended({ outcome: 'rate_limited', status: 429, retryAfterMs: 60_000 }));
    await Promise.resolve();
    expect([end.length, endings()]).toEqual([
      1,
      [
        [2, 'given back'],
        [3, 'given back'],
        [1, 'ended'],
      ],
    ]);
  });

  /** Many places, and every attempt at work until the test ends it. */
  function working(places: number) {
    const begun: { id: number; end: (ending: Ended) => void }[] = [];
    const work = new ClaimedWork(places, () => undefined);
    const attempt = ({ id }: Claim) => new Promise<Ended>((resolve) => begun.push({ id, end: resolve }));
    const add = (given: Partial<Claim>[]) =>
      work.add(given as Claim[], { attempt, options: { mayWrite: () => true, giveBack: new AbortController().signal }, claimed: 0 });
    const deliver = async (index: number) => {
      begun[index].end(ended({ outcome: 'delivered', status: 200 }));
      await Promise.resolve();
    };
    return { work, begun, add, deliver };
  }

  test('has four of a lane at work, however many are claimed', async () => {
    const { begun, add, deliver } = working(32);
    add(Array.from({ length: 16 }, (_, id) => ({ ...claims[0], id })));
    expect(begun).toHaveLength(4);
    await deliver(2);
    expect(begun.map(({ id }) => id)).toHaveLength(5);
  });

  test('leaves places to lanes that found none, for the next turn', async () => {
    const { work, begun, add, deliver } = working(4);
    const of = (lane: number, ids: number[]) => ids.map((id) => ({ id, accountId: lane, type: 'webhook', lane: `webhook:${lane}` }));
    for (const lane of [1, 2]) add(of(lane, [lane]));
    for (const index of [0, 1]) await deliver(index);
    add([...of(1, [3, 4, 5, 6]), ...of(2, [7, 8, 9])]);
    expect(begun).toHaveLength(6);
    work.keepPlaces(1);
    await deliver(2);
    expect(begun).toHaveLength(6);
    add(of(3, [10]));
    expect(begun.at(-1)!.id).toBe(10);
    await deliver(3);
    work.keepPlaces(0);
    expect(begun).toHaveLength(8);
  });

  test('starts nothing after it is closed', async () => {
    const { work, end, endings } = claimed();
    work.close();
    end[0](ended({ outcome: 'delivered', status: 200 }));
    await Promise.resolve();
    expect([end.length, endings(), work.isEmpty]).toEqual([
      1,
      [
        [2, 'given back'],
        [3, 'given back'],
        [1, 'ended'],
      ],
      true,
    ]);
  });
});
