/** What a key may do. A new key has all of them, later ones included, unless told otherwise. */
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

/** The scopes of a key that has all of them: it has any that is asked for. */
export const EVERY_SCOPE = { has: () => true };
