import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { WrongValue } from './environment';

/** As mysql2 takes it: whether the chain is checked, whether the host's name is, and the only CAs to trust. */
export interface Tls {
  rejectUnauthorized: boolean;
  verifyIdentity: boolean;
  ca?: string;
}

/** Named as mysql2 names its options: the pool, the heartbeat and the migration lock all connect with these. */
export interface MysqlServer {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  socketPath?: string;
  ssl?: Tls;
}

export type DatabaseLocation = { type: 'sqlite'; file: string } | { type: 'mysql'; server: MysqlServer };

const PARAMETERS = ['ssl', 'ssl-ca', 'socket'];
const TLS_MODES: Record<string, Tls> = {
  true: { rejectUnauthorized: true, verifyIdentity: true },
  'verify-ca': { rejectUnauthorized: true, verifyIdentity: false },
  'no-verify': { rejectUnauthorized: false, verifyIdentity: false },
};

/** @throws WrongValue for a parameter of the URL */
export function readDatabaseUrl(text: string): DatabaseLocation | undefined {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length);
    return file ? { type: 'sqlite', file: resolve(file) } : undefined;
  }
  const url = URL.parse(text);
  const server = url && readMysqlServer(url);
  return server ? { type: 'mysql', server: { ...server, ...readParameters(url) } } : undefined;
}

function readMysqlServer(url: URL): MysqlServer | undefined {
  if (url.protocol !== 'mysql:' || !url.hostname || !url.username || !/^\/[^/]+$/.test(url.pathname) || url.hash) return undefined;
  try {
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
    return { host: hostOf(url), port: Number(url.port || 3306), user, password, database };
  } catch {
    return undefined; // a % that is not part of an escape
  }
}

function readParameters(url: URL): Pick<MysqlServer, 'socketPath' | 'ssl'> {
  const given = new Map(url.searchParams);
  if (given.size < url.searchParams.size || [...given.keys()].some((name) => !PARAMETERS.includes(name))) {
    throw new WrongValue(`takes the parameters ${PARAMETERS.join(', ')}, each once.`);
  }
  const [ssl, ca, socketPath] = PARAMETERS.map((name) => given.get(name));
  if (socketPath === undefined) return ssl === undefined && ca === undefined ? {} : { ssl: readTls(hostOf(url), ssl, ca) };
  if (!socketPath.startsWith('/')) throw new WrongValue('needs an absolute path as its socket.');
  if (given.size > 1 || url.port || url.hostname !== 'localhost') {
    throw new WrongValue('takes with a socket the host localhost, and neither a port nor TLS.');
  }
  return { socketPath };
}

function readTls(host: string, mode = 'true', caFile?: string): Tls {
  const tls = Object.hasOwn(TLS_MODES, mode) ? TLS_MODES[mode] : undefined;
  if (!tls) throw new WrongValue(`takes as ssl one of ${Object.keys(TLS_MODES).join(', ')}.`);
  if (tls.verifyIdentity && isIP(host)) {
    throw new WrongValue("needs a host name for ssl=true, not an IP address; ssl=verify-ca doesn't check the name.");
  }
  if (caFile === undefined) return { ...tls };
  if (!tls.rejectUnauthorized) throw new WrongValue('takes no ssl-ca with ssl=no-verify, which checks nothing.');
  return { ...tls, ca: readCertificates(caFile) };
}

function readCertificates(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    new X509Certificate(text);
    return text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new WrongValue(`needs as ssl-ca a file with the CA's certificate in PEM (${code}).`);
  }
}

/** An IPv6 address stands in brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
