/** What a key may do. A new key has all of them unless it is told otherwise. */
export const SCOPES = [
  'domains:read',
  'domains:write',
  'notification-handlers:read',
  'notification-handlers:write',
  'notifications:read',
  'scheduling:read',
  'secrets:read',
] as const;

export type ScopeName = (typeof SCOPES)[number];
