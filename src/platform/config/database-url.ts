import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import type { Parser } from '../common/field-types';
import { percentDecode, InvalidValue, PERCENT_ENCODE } from './environment';

type OptionalParameters = { socketPath?: string; ssl?: SslOptions };
export type MysqlServer = Required<Pick<ConnectionOptions, 'host' | 'port' | 'user' | 'password' | 'database'>> & OptionalParameters;

type DatabaseLocation = { type: 'sqlite'; file: string } | { type: 'mysql'; server: MysqlServer };

const PARAMETER_NAMES = ['ssl', 'ssl-ca', 'socket'];
const TLS_MODES = new Map<string, SslOptions>([
  ['true', { rejectUnauthorized: true, verifyIdentity: true }],
  ['verify-ca', { rejectUnauthorized: true, verifyIdentity: false }],
  ['no-verify', { rejectUnauthorized: false, verifyIdentity: false }],
]);

export const DATABASE_URL: Parser<DatabaseLocation> = {
  expected: `sqlite:<file> or mysql://user:password@host:port/database; ${PERCENT_ENCODE}`,
  parse(text) {
    if (text.startsWith('sqlite:')) {
      const file = text.slice('sqlite:'.length);
      return file ? { type: 'sqlite', file: resolve(file) } : undefined;
    }
    const url = URL.parse(text);
    if (url?.protocol !== 'mysql:' || !url.hostname || !url.username || !/^\/[^/]+$/.test(url.pathname) || url.hash) return undefined;
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(percentDecode);
    if (user === undefined || password === undefined || database === undefined) return undefined;
    const server = { host: hostOf(url), port: Number(url.port || 3306), user, password, database };
    return { type: 'mysql', server: { ...server, ...parseParameters(url) } };
  },
};

function parseParameters(url: URL): OptionalParameters {
  const parameters = new Map(url.searchParams);
  if (parameters.size < url.searchParams.size || [...parameters.keys()].some((name) => !PARAMETER_NAMES.includes(name))) {
    throw new InvalidValue(`accepts only the parameters ${PARAMETER_NAMES.join(', ')}, each once; ${PERCENT_ENCODE}.`);
  }
  const [ssl, ca, socketPath] = PARAMETER_NAMES.map((name) => parameters.get(name));
  if (socketPath === undefined) return ssl === undefined && ca === undefined ? {} : { ssl: parseTls(hostOf(url), ssl, ca) };
  if (!socketPath.startsWith('/')) throw new InvalidValue('has an invalid socket: must be an absolute path.');
  if (parameters.size > 1 || url.port || url.hostname !== 'localhost') {
    throw new InvalidValue('with a socket must have the host localhost, no port and no TLS.');
  }
  return { socketPath };
}

function parseTls(host: string, mode = 'true', caFile?: string): SslOptions {
  const tls = TLS_MODES.get(mode);
  if (!tls) throw new InvalidValue(`has an invalid ssl: must be one of ${[...TLS_MODES.keys()].join(', ')}.`);
  if (tls.verifyIdentity && isIP(host)) {
    throw new InvalidValue("needs a host name for ssl=true, not an IP address; ssl=verify-ca doesn't check the name.");
  }
  if (caFile === undefined) return { ...tls };
  if (!tls.rejectUnauthorized) throw new InvalidValue('must not have ssl-ca with ssl=no-verify, which checks nothing.');
  try {
    const ca = readFileSync(caFile, 'utf8');
    new X509Certificate(ca);
    return { ...tls, ca };
  } catch (error) {
    throw new InvalidValue(
      `has an invalid ssl-ca: must be a PEM file with the CA's certificate (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

/** The host, without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
