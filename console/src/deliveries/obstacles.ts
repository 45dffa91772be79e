import { type Api, hasCode, type Schemas } from '../api/api';

/** Why a failed delivery can't be retried at present. */
export type Obstacle = 'handler_off' | 'handler_deleted' | 'handler_changed' | 'delivery_expired';

/** Undefined if a retry may work, or the handler can't be read. */
export async function findObstacle(
  api: Api,
  { handler_id, type, outcome }: Pick<Schemas['DeliveryRecord'], 'handler_id' | 'type' | 'outcome'>,
  signal?: AbortSignal,
): Promise<Obstacle | undefined> {
  if (outcome === 'expired') return 'delivery_expired';
  const options = { path: { notification_handler_id: handler_id }, signal };
  try {
    const { data: handler } = await api.get('/api/notification-handlers/{notification_handler_id}', options);
    if (handler.type !== type) return 'handler_changed';
    return handler.is_enabled ? undefined : 'handler_off';
  } catch (error) {
    return hasCode(error, 'not_found') ? 'handler_deleted' : undefined;
  }
}
