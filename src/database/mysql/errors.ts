import { driverError, type ErrorKind } from '../dialect';

/** Unlike a lost connection, not retried: that would add load. */
export const POOL_BUSY = 'POOL_BUSY';

// By number: MySQL and MariaDB share the numbers, but not all names (https://mariadb.com/kb/en/mariadb-error-code-reference/).
const KINDS: Record<number, ErrorKind> = {
  1062: 'duplicate',
  1451: 'referenced',
  1205: 'lock timeout',
  1213: 'rolled back', // deadlock, or a certification conflict on a Galera cluster
  3101: 'rolled back', // certification conflict in MySQL Group Replication
};
const UNAVAILABLE = [
  ...[1040, 1203], // too many connections
  ...[1053, 1077, 1079], // shutting down
  ...[1290, 1792, 1836], // read-only
  ...[1317, 1927], // killed
  ...[1969, 3024], // statement timeout
  1047, // "WSREP has not yet prepared node for application use": a Galera node outside its cluster
  ...[1180, 3100], // error during COMMIT, whose outcome is unknown
];
const NETWORK_ERROR = /^(ECONN|ETIMEDOUT|EPIPE|EHOST|ENET|ENOTFOUND|EAI_AGAIN|PROTOCOL_)/;

export function errorKind(error: unknown): ErrorKind | undefined {
  const { code, errno, fatal } = driverError(error);
  const number = Number(errno);
  if (number in KINDS) return KINDS[number];
  if (fatal === true || NETWORK_ERROR.test(String(code))) return 'disconnected';
  return UNAVAILABLE.includes(number) || code === POOL_BUSY ? 'unavailable' : undefined;
}
