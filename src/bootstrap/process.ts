import { ConfigError } from '../config/config';

/** Calls `end` once: both a process manager and npm may send the signal. */
export function onTermination(end: () => void | Promise<void>): void {
  let isEnding = false;
  const endOnce = () => {
    if (!isEnding) void end();
    isEnding = true;
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, endOnce);
}

/** URL of a listening server, to open on this machine. */
export function urlOf({ address, port }: { address: string | null; port: number }): string {
  if (!address || ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(address)) return `http://localhost:${port}`;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Rethrows a system error as a ConfigError that names the variable. */
export async function toConfigError<T>(variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new ConfigError(`${variable}: ${error.message}`) : error;
  }
}
