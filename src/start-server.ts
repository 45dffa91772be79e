import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApplication } from './application';
import { ConfigError, readConfig } from './config';
import { DemoService } from './demo/demo.service';
import { Shutdown } from './operations/shutdown';

/** Starts the service, and ends it on SIGTERM or SIGINT when every request in flight is answered. */
export async function startServer(): Promise<void> {
  try {
    const config = readConfig();
    const app = await naming('DATABASE_URL', createApplication(config));
    const server = await naming('HOST or PORT', app.listen(config.port, config.host));
    endOnSignal(async () => {
      await app.get(Shutdown).drain(server);
      await app.close();
      process.exit(0);
    });

    const demoKey = await app.get(DemoService).createOnFirstStart(); // after listening, which fails when the port is taken
    const address = addressOf(server);
    process.stdout.write(demoKey ? firstWords(address, demoKey) : `frontdesk answers at ${address}\n`);
  } catch (error) {
    process.stderr.write(`frontdesk can't start. ${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

/** Ends once, however often it is told to: a terminal and a process manager signal npm and its child, and npm passes it on. */
function endOnSignal(end: () => Promise<void>): void {
  let ending: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void (ending ??= end()));
}

/** Where a person on this machine reaches the server. */
function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(address)) return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Says which variable is at fault when what it leads to fails: an error of the system or of a driver has a code. */
async function naming<T>(variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isOutside = error instanceof Error && ('code' in error || 'driverError' in error);
    throw isOutside ? new ConfigError(`${variable} leads nowhere: ${error.message}`) : error;
  }
}

/** The only time that the key is shown. */
function firstWords(address: string, key: string): string {
  return `
frontdesk answers at ${address} (to try it on a page: ${address}/docs)

The database was empty, so there is an account "demo" now, with a few records.
Its key, which is not shown again:

  ${key}

Try it:

  curl -H 'Authorization: Bearer ${key}' ${address}/api/domains/

`;
}
