/** By default a new key has all scopes, including those of later versions. */
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
