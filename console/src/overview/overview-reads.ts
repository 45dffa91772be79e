import type { Api, Schemas } from '../api/api';
import { inParallel } from '../api/in-parallel';
import { parseTime } from '../language/times';
import { formatDay, toUtcLimit } from '../lists/created-fields';

type Delivery = Schemas['DeliveryRecord'];
type Outcome = NonNullable<Delivery['outcome']>;

/** A delivery whose last attempt failed. */
type FailingDelivery = Delivery & { outcome: Outcome };

const FAILURE_DAYS = 7;
const FIRST_10 = { results_per_page: 10 } as const;
const NEWEST_100 = { sort: 'desc', results_per_page: 100 } as const;
const MAX_LISTED_HANDLERS = 5;
/** How many handlers are checked for a recovery; any further ones count as failing. */
const MAX_CHECKED_HANDLERS = 20;
const FIRST_1000 = { results_per_page: 1_000 } as const;

/** Seven days ago, as a list filter. */
export function weekAgo(): string {
  const day = new Date();
  day.setDate(day.getDate() - FAILURE_DAYS);
  return toUtcLimit(formatDay(day));
}

/** Counts domains that wait for verification, have `lost` it, or have `failed` it; lists those with certificate problems. */
export async function readDomainTroubles(api: Api, signal: AbortSignal) {
  const [pending, failed, verified] = await Promise.all([
    api.get('/api/domains', { query: { verification_status: 'pending', include: 'verification', ...NEWEST_100 }, signal }),
    api.get('/api/domains', { query: { verification_status: 'failed', ...FIRST_10 }, signal }),
    api.get('/api/domains', { query: { verification_status: 'verified', include: 'verification', ...NEWEST_100 }, signal }),
  ]);
  const lost = pending.data.filter(({ verification }) => verification?.lost === true).length;
  const certificates = verified.data.filter(({ verification }) =>
    verification?.problems.some(({ code }) => code.startsWith('certificate_')),
  );
  return { waiting: pending.meta.total - lost, lost, failed: failed.meta.total, certificates };
}

/**
 * Counts the deliveries that failed within the last days; `onlyFailed` is the id if there is just one. Lists handlers that still fail, without
 * deleted and disabled ones if the key may read handlers; `moreHandlers` counts those not listed.
 */
export async function readDeliveryTroubles(api: Api, maySeeHandlers: boolean, signal: AbortSignal) {
  const [failed, pending, enabled] = await Promise.all([
    api.get('/api/deliveries', { query: { status: 'failed', created_from: weekAgo(), ...NEWEST_100 }, signal }),
    api.get('/api/deliveries', { query: { status: 'pending', ...NEWEST_100 }, signal }),
    maySeeHandlers ? api.get('/api/notification-handlers', { query: { is_enabled: '1', ...FIRST_1000 }, signal }) : undefined,
  ]);
  const names = new Map(enabled?.data.map(({ id, name }) => [id, name]));
  const areAllKnown = enabled !== undefined && enabled.meta.total <= names.size;
  const troubles = newestByHandler([...failed.data, ...pending.data]).filter(({ handler_id }) => !areAllKnown || names.has(handler_id));
  const checked = await inParallel(troubles.slice(0, MAX_CHECKED_HANDLERS), async (trouble) => {
    const query = { handler_id: trouble.handler_id, status: 'delivered', sort: 'desc', ...FIRST_10 } as const;
    const { data } = await api.get('/api/deliveries', { query, signal });
    const hasRecovered = data.some((delivered) => changeOf(delivered) > changeOf(trouble));
    return hasRecovered ? [] : [trouble];
  });
  const failing = [...checked.flat(), ...troubles.slice(MAX_CHECKED_HANDLERS)];
  const handlers = failing.slice(0, MAX_LISTED_HANDLERS).map(({ handler_id: id, outcome }) => ({ id, name: names.get(id), outcome }));
  const onlyFailed = failed.meta.total === 1 ? failed.data[0]?.id : undefined;
  return { failed: failed.meta.total, onlyFailed, handlers, moreHandlers: failing.length - handlers.length };
}

/** Recent messages that still await an acknowledgement. */
export async function readUnacknowledged(api: Api, signal: AbortSignal): Promise<Schemas['MessageRecord'][]> {
  const { data } = await api.get('/api/messages', { query: NEWEST_100, signal });
  const isWaiting = (counts: Schemas['MessageRecord']['deliveries']) => (counts?.pending ?? 0) + (counts?.delivered ?? 0) > 0;
  return data.filter(({ until, acknowledged, deliveries }) => until === 'acknowledged' && !acknowledged && isWaiting(deliveries));
}

function newestByHandler(deliveries: readonly Delivery[]): FailingDelivery[] {
  const newest = new Map<number, FailingDelivery>();
  for (const delivery of deliveries.filter(hasOutcome)) {
    const known = newest.get(delivery.handler_id);
    if (!known || changeOf(delivery) > changeOf(known)) newest.set(delivery.handler_id, delivery);
  }
  return [...newest.values()].sort((one, other) => changeOf(other) - changeOf(one));
}

function hasOutcome(delivery: Delivery): delivery is FailingDelivery {
  return delivery.outcome !== null;
}

function changeOf({ last_datetime, datetime }: Delivery): number {
  return parseTime(last_datetime ?? datetime).getTime();
}
