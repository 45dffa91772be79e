import { type Api, FrontdeskError, type Schemas } from '../api/api';
import { inParallel } from '../api/in-parallel';
import type { Query } from '../lists/list-query';
import { findObstacle, type Obstacle } from './obstacles';

export type Delivery = Schemas['DeliveryRecord'];
export type DeliveryWithLog = Schemas['DeliveryWithLog'];
export type Attempt = Schemas['AttemptRecord'];
export type Outcome = Attempt['outcome'];
export type RetryResult = { retried: number; skipped: readonly { reason: SkipReason; count: number }[] };

/** Why a delivery isn't retried. `handler_unavailable`: the key can't read the handler. `bulk`: the API gave a count without reasons. */
export type SkipReason = Obstacle | 'delivery_not_failed' | 'delivery_obsolete' | 'handler_unavailable' | 'not_found' | 'bulk';
const SKIP_CODES: readonly string[] = ['delivery_not_failed', 'delivery_expired', 'delivery_obsolete', 'handler_unavailable', 'not_found'];

export const DELIVERY_FILTERS = ['message_id', 'handler_id', 'status', 'outcome', 'created_from', 'created_until', 'changed_since'];

export function readDeliveries(api: Api, query: Query, signal: AbortSignal) {
  return api.get('/api/deliveries', { query: query, signal });
}

/** Everything that a delivery's page shows. The handler's state is read only if `mayReadHandlers`. */
export async function readDelivery(api: Api, delivery_id: number, mayReadHandlers: boolean, signal: AbortSignal) {
  const { data: delivery } = await api.get('/api/deliveries/{delivery_id}', { path: { delivery_id }, signal });
  const isAsked = delivery.status === 'failed' && (mayReadHandlers || delivery.outcome === 'expired');
  return { delivery, obstacle: isAsked ? await findObstacle(api, delivery, signal) : undefined };
}

/** Enabled and disabled handlers, to choose from. */
export async function readHandlerChoices(api: Api, signal: AbortSignal): Promise<[id: string, name: string][]> {
  const query = { orderby: 'name', results_per_page: 250 } as const;
  const { data } = await api.get('/api/notification-handlers', { query, signal });
  return data.map(({ id, name }) => [String(id), name]);
}

/** Sends one request per delivery, and counts those that can't be retried by reason. @throws the first error that is no reason to skip just one delivery */
export async function retryEach(api: Api, deliveries: readonly Delivery[]): Promise<RetryResult> {
  const reasons = await inParallel(deliveries, (delivery) =>
    api.post('/api/deliveries/{delivery_id}/retry', { path: { delivery_id: delivery.id } }).then(
      () => undefined,
      (error: unknown) => reasonOf(api, delivery, error),
    ),
  );
  const failure = reasons.find((reason) => typeof reason === 'object');
  if (failure) throw failure.error;
  const skips = reasons.filter((reason) => typeof reason === 'string');
  const skipped = [...new Set(skips)].map((reason) => ({ reason, count: skips.filter((each) => each === reason).length }));
  return { retried: reasons.length - skips.length, skipped };
}

/** Retries up to 1,000 failed deliveries that match the filters. */
export async function retryMatching(api: Api, query: Query): Promise<RetryResult> {
  const filters = Object.entries({ ...query, status: 'failed' }).filter(([name]) => DELIVERY_FILTERS.includes(name));
  const { data } = await api.post('/api/deliveries/retry', { body: Object.fromEntries(filters) });
  return { retried: data.retried, skipped: data.skipped > 0 ? [{ reason: 'bulk', count: data.skipped }] : [] };
}

async function reasonOf(api: Api, delivery: Delivery, error: unknown): Promise<SkipReason | { error: unknown }> {
  if (!(error instanceof FrontdeskError) || !SKIP_CODES.includes(error.code)) return { error };
  const code = error.code as SkipReason;
  return code === 'handler_unavailable' ? ((await findObstacle(api, delivery)) ?? code) : code;
}
