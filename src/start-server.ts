import type { AddressInfo } from 'node:net';
import { createApplication } from './application';
import { ConfigError, readConfig } from './config';
import { DemoService } from './demo/demo.service';
import { Shutdown } from './operations/shutdown';

/** Starts the service, and ends it on SIGTERM or SIGINT when every request in flight is answered. */
export async function startServer(): Promise<void> {
  try {
    const config = readConfig();
    const app = await createApplication(config);
    const demoKey = await app.get(DemoService).createOnFirstStart();
    const server = await app.listen(config.port, config.host);
    const stop = async () => {
      await app.get(Shutdown).drain(server);
      await app.close();
      process.exit(0);
    };
    process.once('SIGTERM', () => void stop()).once('SIGINT', () => void stop());

    const address = `http://localhost:${(server.address() as AddressInfo).port}`;
    process.stdout.write(demoKey ? firstWords(address, demoKey) : `frontdesk answers at ${address}\n`);
  } catch (error) {
    process.stderr.write(`frontdesk can't start. ${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
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
