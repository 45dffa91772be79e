import { type Api, hasCode, type Schemas } from '../api/api';
import { inParallel } from '../api/in-parallel';
import { parseTime } from '../language/times';
import { formatDay, limitOf } from '../lists/created-fields';

type Delivery = Schemas['DeliveryRecord'];
type Outcome = NonNullable<Delivery['outcome']>;

export interface FailingHandler {
  id: number;
  outcome: Outcome;
}

const DAYS = 7;
const FEW = { results_per_page: 10 } as const;
const NEWEST = { sort: 'desc', results_per_page: 100 } as const;
const MAX_HANDLERS = 5;

/** Seven days ago, as the filter of a list. */
export function weekAgo(): string {
  const day = new Date();
  day.setDate(day.getDate() - DAYS);
  return limitOf(formatDay(day));
}

const CERTIFICATE = 'certificate_';

/** How many domains wait for DNS (of these, how many once had their proof), how many were given up, and which have a certificate problem. */
export async function readDomainTroubles(api: Api, signal: AbortSignal) {
  const [pending, failed, verified] = await Promise.all([
    api.get('/api/domains', { query: { verification_status: 'pending', include: 'verification', ...NEWEST }, signal }),
    api.get('/api/domains', { query: { verification_status: 'failed', ...FEW }, signal }),
    api.get('/api/domains', { query: { verification_status: 'verified', include: 'verification', ...NEWEST }, signal }),
  ]);
  const lost = pending.data.filter(({ verification }) => verification?.lost === true).length;
  const certificates = verified.data.filter(({ verification }) => verification?.problems.some(({ code }) => code.startsWith(CERTIFICATE)));
  return { waiting: pending.meta.total - lost, lost, failed: failed.meta.total, certificates };
}

/**
 * How many deliveries of the last days have failed, the only one of them if it is one, and which handlers still fail; without those
 * that are gone or switched off, if the key sees handlers.
 */
export async function readDeliveryTroubles(api: Api, maySeeHandlers: boolean, signal: AbortSignal) {
  const [failed, pending] = await Promise.all([
    api.get('/api/deliveries', { query: { status: 'failed', created_from: weekAgo(), ...NEWEST }, signal }),
    api.get('/api/deliveries', { query: { status: 'pending', ...NEWEST }, signal }),
  ]);
  const troubles = newestByHandler([...failed.data, ...pending.data.filter(({ outcome }) => outcome !== null)]);
  const handlers = await inParallel(troubles.slice(0, MAX_HANDLERS), async (trouble) => {
    const query = { handler_id: trouble.handler_id, status: 'delivered', sort: 'desc', ...FEW } as const;
    const { data } = await api.get('/api/deliveries', { query, signal });
    if (maySeeHandlers && !(await isSwitchedOn(api, trouble.handler_id, signal))) return undefined;
    const hasRecovered = data.some((delivered) => changeOf(delivered) > changeOf(trouble));
    return hasRecovered || trouble.outcome === null ? undefined : { id: trouble.handler_id, outcome: trouble.outcome };
  });
  const onlyFailed = failed.meta.total === 1 ? failed.data[0]?.id : undefined;
  return { failed: failed.meta.total, onlyFailed, handlers: handlers.filter((each): each is FailingHandler => each !== undefined) };
}

/** Of the newest messages, those that nobody has acknowledged yet. */
export async function readUnacknowledged(api: Api, signal: AbortSignal): Promise<Schemas['MessageRecord'][]> {
  const { data } = await api.get('/api/messages', { query: NEWEST, signal });
  const isWaiting = (counts: Schemas['MessageRecord']['deliveries']) => (counts?.pending ?? 0) + (counts?.delivered ?? 0) > 0;
  return data.filter(({ until, acknowledged, deliveries }) => until === 'acknowledged' && !acknowledged && isWaiting(deliveries));
}

async function isSwitchedOn(api: Api, id: number, signal: AbortSignal): Promise<boolean> {
  const options = { path: { notification_handler_id: id }, signal };
  try {
    return (await api.get('/api/notification-handlers/{notification_handler_id}', options)).data.is_enabled;
  } catch (error) {
    if (hasCode(error, 'not_found')) return false;
    throw error;
  }
}

function newestByHandler(deliveries: readonly Delivery[]): Delivery[] {
  const newest = new Map<number, Delivery>();
  for (const delivery of deliveries) {
    const known = newest.get(delivery.handler_id);
    if (!known || changeOf(delivery) > changeOf(known)) newest.set(delivery.handler_id, delivery);
  }
  return [...newest.values()].sort((one, other) => changeOf(other) - changeOf(one));
}

function changeOf({ last_datetime, datetime }: Delivery): number {
  return parseTime(last_datetime ?? datetime).getTime();
}
