import { driverError } from '../dialect';

// Numbers, because MySQL and MariaDB share them, but not all names (https://mariadb.com/kb/en/mariadb-error-code-reference/).
const DUPLICATE_ENTRY = 1062;
const LOCK_WAIT_TIMEOUT = 1205;
/** Deadlock, or a certification conflict on a Galera cluster. */
const ROLLED_BACK = [1213, 3101];
const UNAVAILABLE = [
  ...ROLLED_BACK,
  LOCK_WAIT_TIMEOUT,
  ...[1040, 1203], // too many connections
  ...[1053, 1077, 1079], // shutting down
  ...[1290, 1792, 1836], // read-only
  ...[1317, 1927], // interrupted: KILL QUERY, KILL CONNECTION
  ...[1969, 3024], // statement timeout
  1047, // "WSREP has not yet prepared node for application use": a Galera node outside its cluster
  ...[1180, 3100], // error during COMMIT, whose outcome is unknown
];
const NETWORK_ERROR = /^(ECONN|ETIMEDOUT|EPIPE|EHOST|ENET|ENOTFOUND|EAI_AGAIN|PROTOCOL_)/;

/** Not retried, as a network error is: that would make it worse. */
export const POOL_BUSY = 'POOL_BUSY';

export function isDuplicateEntry(error: unknown): boolean {
  return driverError(error).errno === DUPLICATE_ENTRY;
}

export function isRolledBack(error: unknown): boolean {
  return ROLLED_BACK.includes(Number(driverError(error).errno));
}

export function isLockTimeout(error: unknown): boolean {
  return driverError(error).errno === LOCK_WAIT_TIMEOUT;
}

/** The outcome of the statement is unknown. */
export function isDisconnected(error: unknown): boolean {
  const { code, fatal } = driverError(error);
  return fatal === true || NETWORK_ERROR.test(String(code));
}

export function isUnavailable(error: unknown): boolean {
  const { errno, code } = driverError(error);
  return UNAVAILABLE.includes(Number(errno)) || code === POOL_BUSY || isDisconnected(error);
}
