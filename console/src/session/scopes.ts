import type { Api } from '../api/api';

export const SCOPES = [
  'domains:read',
  'domains:write',
  'notification-handlers:read',
  'notification-handlers:write',
  'notifications:read',
  'secrets:read',
  'messages:read',
  'messages:write',
  'scheduling:read',
  'events:read',
  'keys:write',
] as const;

/** A scope that a menu entry or a button may require. */
export type Scope = (typeof SCOPES)[number];

/** What the page needs to know about a key. */
export interface Identity {
  account: string;
  id: number;
  name: string;
  scopes: Scope[];
}

/** @throws FrontdeskError when the key is refused, or the service can't be reached */
export async function readIdentity(api: Api): Promise<Identity> {
  const { account, id, name, scopes } = (await api.get('/api/keys/current')).data;
  const isHeld = (scope: Scope): boolean => scopes.includes(scope) || (scopes.includes('*') && scope !== 'keys:write');
  return { account, id, name, scopes: SCOPES.filter(isHeld) };
}
