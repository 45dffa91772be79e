import { type Api, hasCode } from '../api/api';

/** What a menu entry or a button may ask for. */
export type Scope =
  | 'domains:read'
  | 'domains:write'
  | 'notification-handlers:read'
  | 'notification-handlers:write'
  | 'notifications:read'
  | 'secrets:read'
  | 'messages:read'
  | 'messages:write'
  | 'scheduling:read'
  | 'events:read';

const FEW = { query: { results_per_page: 10 } } as const;

/**
 * No route tells a key's scopes, so each is tried once. Scopes are checked before records: a write to record 0, which never
 * exists, answers 403 or 404 and changes nothing.
 */
const PROBES: Record<Scope, (api: Api) => Promise<unknown>> = {
  'domains:read': (api) => api.get('/api/domains', FEW),
  'domains:write': (api) => api.update('/api/domains/{domain_id}', { path: { domain_id: 0 }, body: {} }),
  'notification-handlers:read': (api) => api.get('/api/notification-handlers', FEW),
  'notification-handlers:write': (api) =>
    api.update('/api/notification-handlers/{notification_handler_id}', { path: { notification_handler_id: 0 }, body: {} }),
  'secrets:read': (api) =>
    api.get('/api/notification-handlers/{notification_handler_id}/signing-secret', { path: { notification_handler_id: 0 } }),
  'notifications:read': (api) => api.get('/api/notifications', FEW),
  'messages:read': (api) => api.get('/api/messages', FEW),
  'messages:write': (api) => api.post('/api/messages/{message_id}/cancellation', { path: { message_id: 0 } }),
  'scheduling:read': (api) => api.get('/scheduling', { query: { api: 'servicos', results_per_page: 10 } }),
  'events:read': (api) => api.get('/api/events', { query: { limit: 1 } }),
};

/** @throws FrontdeskError when the key is refused, or the service can't be reached */
export async function findScopes(api: Api): Promise<Scope[]> {
  const [first, ...others] = Object.keys(PROBES) as Scope[];
  const isHeldByKey = (scope: Scope): Promise<boolean> => isHeld(() => PROBES[scope](api));
  const isFirstHeld = first !== undefined && (await isHeldByKey(first)); // an invalid key fails one request, not all of them
  const held = await Promise.all(others.map(isHeldByKey));
  return [...(isFirstHeld ? [first] : []), ...others.filter((_, index) => held[index])];
}

async function isHeld(probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await probe();
  } catch (error) {
    if (hasCode(error, 'insufficient_scope')) return false;
    if (!hasCode(error, 'not_found')) throw error;
  }
  return true;
}
