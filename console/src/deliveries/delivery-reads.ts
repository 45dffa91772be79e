import { type Api, FrontdeskError, type Schemas } from '../api/api';
import { inParallel } from '../api/in-parallel';
import type { Query } from '../lists/list-query';

export type Delivery = Schemas['DeliveryRecord'];
export type DeliveryWithLog = Schemas['DeliveryWithLog'];
export type Attempt = Schemas['AttemptRecord'];
export type Outcome = Attempt['outcome'];
export type RetryResult = { retried: number; skipped: readonly { reason: SkipReason; count: number }[] };

/** Why a delivery isn't retried; `bulk` is what the interface counts together. */
export type SkipReason = 'delivery_not_failed' | 'delivery_expired' | 'handler_unavailable' | 'not_found' | 'bulk';
const REASONS: readonly string[] = ['delivery_not_failed', 'delivery_expired', 'handler_unavailable', 'not_found'];

export const FILTERS = ['message_id', 'handler_id', 'status', 'outcome', 'created_from', 'created_until', 'changed_since'];

export function readDeliveries(api: Api, query: Query, signal: AbortSignal) {
  return api.get('/api/deliveries', { query: query, signal });
}

export async function readDelivery(api: Api, delivery_id: number, signal: AbortSignal): Promise<DeliveryWithLog> {
  return (await api.get('/api/deliveries/{delivery_id}', { path: { delivery_id }, signal })).data;
}

/** Every enabled or disabled handler, for a choice. */
export async function readHandlerChoices(api: Api, signal: AbortSignal): Promise<[id: string, name: string][]> {
  const query = { orderby: 'name', results_per_page: 250 } as const;
  const { data } = await api.get('/api/notification-handlers', { query, signal });
  return data.map(({ id, name }) => [String(id), name]);
}

/** One request each. What can't be retried is counted by its reason. @throws what keeps any from being retried */
export async function retryEach(api: Api, ids: readonly number[]): Promise<RetryResult> {
  const reasons = await inParallel(ids, (delivery_id) =>
    api.post('/api/deliveries/{delivery_id}/retry', { path: { delivery_id } }).then(
      () => undefined,
      (error: unknown) => reasonOf(error),
    ),
  );
  const failure = reasons.find((reason) => typeof reason === 'object');
  if (failure) throw failure.error;
  const skipped = REASONS.map((reason) => ({ reason: reason as SkipReason, count: reasons.filter((each) => each === reason).length }));
  return { retried: reasons.filter((each) => each === undefined).length, skipped: skipped.filter(({ count }) => count > 0) };
}

/** Up to 1,000 of the failed ones that the filters let pass. */
export async function retryMatching(api: Api, query: Query): Promise<RetryResult> {
  const filters = Object.entries({ ...query, status: 'failed' }).filter(([name]) => FILTERS.includes(name));
  const { data } = await api.post('/api/deliveries/retry', { body: Object.fromEntries(filters) });
  return { retried: data.retried, skipped: data.skipped > 0 ? [{ reason: 'bulk', count: data.skipped }] : [] };
}

function reasonOf(error: unknown): SkipReason | { error: unknown } {
  return error instanceof FrontdeskError && REASONS.includes(error.code) ? (error.code as SkipReason) : { error };
}
