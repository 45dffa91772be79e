import type { DataSource, DataSourceOptions } from 'typeorm';
import { ConfigError } from '../config/config';
import type { Dialect } from './dialect';

/** mysql2's codes for failures before and in the TLS handshake. */
const TLS_FAILURES = ['HANDSHAKE_SSL_ERROR', 'HANDSHAKE_NO_SSL_SUPPORT'];

export type DialectOptions = DataSourceOptions & { dialect: Dialect };

/** @throws ConfigError */
export function connect(options?: DataSourceOptions): Promise<DataSource> {
  const { dialect } = options as DialectOptions;
  return toDatabaseUrlError(() => dialect.createDataSource(options!).initialize());
}

/** @throws ConfigError naming DATABASE_URL for an error with a code, which comes from the system or the driver */
export async function toDatabaseUrlError<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = message || code; // when all addresses of a host fail, Node's error has no message
    if (!TLS_FAILURES.includes(code)) throw new ConfigError(`DATABASE_URL: the database can't be opened: ${reason}`);
    throw new ConfigError(`DATABASE_URL: TLS connection failed: ${reason}. For a private CA, set ssl-ca to its certificate file.`);
  }
}
