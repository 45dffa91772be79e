import { driverError } from './dialect';

// Numbers, not names: MySQL and MariaDB share these numbers, not all of the names
// (https://mariadb.com/kb/en/mariadb-error-code-reference/).
const DUPLICATE_ENTRY = 1062;
const TOO_MANY_CONNECTIONS = [1040, 1203];
const SHUTTING_DOWN = [1053, 1077, 1079];
const READ_ONLY = [1290, 1792, 1836];
const LOCK_NOT_HAD = [1205, 1213];
const UNAVAILABLE = new Set([...TOO_MANY_CONNECTIONS, ...SHUTTING_DOWN, ...READ_ONLY, ...LOCK_NOT_HAD]);
const NETWORK_ERROR = /^(ECONN|ETIMEDOUT|EPIPE|EHOST|ENET|ENOTFOUND|EAI_AGAIN|PROTOCOL_|POOL_)/;

export function isDuplicateEntry(error: unknown): boolean {
  return driverError(error).errno === DUPLICATE_ENTRY;
}

/** The server can't be reached, or can't take this statement now. */
export function isUnavailable(error: unknown): boolean {
  const { errno, code, fatal } = driverError(error);
  return UNAVAILABLE.has(Number(errno)) || fatal === true || NETWORK_ERROR.test(String(code));
}
