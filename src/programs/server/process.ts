import { Clock } from '../../platform/common/clock';
import { type Config, ConfigError } from '../../platform/config/config';
import { standardOutput } from '../../platform/observability/standard-output';

/** Calls `end` once: both a process manager and npm may send the signal. */
export function onTermination(end: (signal: string) => void | Promise<void>, signals = ['SIGTERM', 'SIGINT']): void {
  let isEnding = false;
  const endOnce = (signal: string) => {
    if (!isEnding) void end(signal);
    isEnding = true;
  };
  for (const signal of signals) process.on(signal, endOnce);
}

/** URL of a listening server, to open on this machine. */
export function urlOf({ address, port }: { address: string | null; port: number }): string {
  if (!address || ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(address)) return `http://localhost:${port}`;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

interface Announcement {
  msg: string;
  url: string;
  hasConsole: boolean;
  /** Printed after the announcement, on a terminal only. */
  text?: string;
  /** Added to the JSON line that is printed when standard output isn't a terminal. */
  fields?: Record<string, string>;
}

/** Prints, at any LOG_LEVEL, that a service is listening, and where its pages are: text on a terminal, otherwise a line like the log's. */
export function announceService({ msg, url, hasConsole, text = '', fields }: Announcement): void {
  const pages = { ...(hasConsole ? { console: `${url}/console/` } : {}), docs: `${url}/docs` };
  const pageList = hasConsole ? `console: ${pages.console}, API docs: ${pages.docs}` : `API docs: ${pages.docs}`;
  const line = { level: 'info', time: new Date(new Clock().now()).toISOString(), msg, ...pages, ...fields };
  standardOutput.write(process.stdout.isTTY ? `${msg} (${pageList})\n${text}` : `${JSON.stringify(line)}\n`);
}

/** Rethrows a system error as a ConfigError that names the variable. */
export async function toConfigError<T>(variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new ConfigError(`${variable}: ${error.message}`) : error;
  }
}

/** Imports the metrics server only when needed. @throws ConfigError */
export async function exposeMetrics({ metricsPort, metricsHost, metricsAllowedHosts }: Config, read: () => Promise<string>): Promise<void> {
  const { serveMetrics } = await import('../../platform/observability/metrics-server.js');
  await toConfigError('METRICS_HOST or METRICS_PORT', serveMetrics(metricsPort!, metricsHost, read, metricsAllowedHosts));
}
