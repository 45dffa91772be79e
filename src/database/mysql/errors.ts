import { driverError } from '../dialect';

// Numbers, not names: MySQL and MariaDB share these numbers, not all of the names
// (https://mariadb.com/kb/en/mariadb-error-code-reference/).
const DUPLICATE_ENTRY = 1062;
const TOO_MANY_CONNECTIONS = [1040, 1203];
const SHUTTING_DOWN = [1053, 1077, 1079];
const READ_ONLY = [1290, 1792, 1836];
/** A deadlock; on a cluster, a write that another node was quicker with, too. */
const ROLLED_BACK = [1213, 3101];
/** Also how a server ends the statements of a connection that it is told to end. */
const INTERRUPTED = [1317, 1927];
const LOCK_WAIT_TIMEOUT = 1205;
const TOOK_TOO_LONG = [1969, 3024];
/** A Galera node that is not, or not yet, a part of its cluster: "WSREP has not yet prepared node for application use". */
const NOT_PREPARED = 1047;
/** Whether it was kept is not known. */
const ERROR_DURING_COMMIT = [1180, 3100];
const UNAVAILABLE = new Set([
  ...TOO_MANY_CONNECTIONS,
  ...SHUTTING_DOWN,
  ...READ_ONLY,
  ...INTERRUPTED,
  ...TOOK_TOO_LONG,
  ...ROLLED_BACK,
  LOCK_WAIT_TIMEOUT,
  NOT_PREPARED,
  ...ERROR_DURING_COMMIT,
]);
const NETWORK_ERROR = /^(ECONN|ETIMEDOUT|EPIPE|EHOST|ENET|ENOTFOUND|EAI_AGAIN|PROTOCOL_)/;
/** No connection was free: to try again at once would make it worse. */
const POOL_BUSY = 'POOL_BUSY';

export function isDuplicateEntry(error: unknown): boolean {
  return driverError(error).errno === DUPLICATE_ENTRY;
}

/** The server can't be reached, or can't take this statement now. */
export function isUnavailable(error: unknown): boolean {
  const { errno, code } = driverError(error);
  return UNAVAILABLE.has(Number(errno)) || code === POOL_BUSY || isDisconnected(error);
}

/** The server has undone all that the transaction did, as if it had never been. */
export function isRolledBack(error: unknown): boolean {
  return ROLLED_BACK.includes(Number(driverError(error).errno));
}

export function isLockTimeout(error: unknown): boolean {
  return driverError(error).errno === LOCK_WAIT_TIMEOUT;
}

/** The connection is lost, or was not had; what has become of the statement is not known. */
export function isDisconnected(error: unknown): boolean {
  const { code, fatal } = driverError(error);
  return fatal === true || NETWORK_ERROR.test(String(code));
}
