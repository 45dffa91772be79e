import type { DataSource, DataSourceOptions } from 'typeorm';
import { ConfigError } from '../config/config';
import type { Dialect } from './dialect';

/** The codes that mysql2 gives what fails before or in the TLS handshake. */
const TLS_FAILURES = ['HANDSHAKE_SSL_ERROR', 'HANDSHAKE_NO_SSL_SUPPORT'];

/** @throws ConfigError naming DATABASE_URL */
export function connect(options?: DataSourceOptions): Promise<DataSource> {
  const { dialect } = options as DataSourceOptions & { dialect: Dialect }; // as the database module passes it along
  return opening(() => dialect.createDataSource(options!).initialize());
}

/** Blames DATABASE_URL when the database can't be opened: an error of the system or of a driver has a code. @throws ConfigError */
export async function opening<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = message || code; // of several addresses that all fail, Node gives no message
    if (!TLS_FAILURES.includes(code)) throw new ConfigError(`DATABASE_URL: the database can't be opened: ${reason}`);
    throw new ConfigError(`DATABASE_URL: no TLS with the server: ${reason}. ssl-ca names the file of the CA that its certificate is from.`);
  }
}
