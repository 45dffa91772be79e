import { ConfigError } from '../config/config';

/** Ends once, however often it is told to: a terminal and a process manager signal npm and its child, and npm passes it on. */
export function endOnSignal(end: () => Promise<void>): void {
  let ending: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void (ending ??= end()));
}

/** Where a person on this machine reaches what listens there. */
export function addressOf({ address, port }: { address: string | null; port: number }): string {
  if (!address || ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(address)) return `http://localhost:${port}`;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Says which variable is at fault when the system refuses what it names. @throws ConfigError */
export async function naming<T>(variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new ConfigError(`${variable}: ${error.message}`) : error;
  }
}
