import { createApplication } from './application';
import { ConfigError, readConfig } from './config';
import { Shutdown } from './operations/shutdown';

/** Starts the service, and ends it on SIGTERM or SIGINT when every request in flight is answered. */
export async function startServer(): Promise<void> {
  try {
    const config = readConfig();
    const app = await createApplication(config);
    const server = await app.listen(config.port, config.host);
    const stop = async () => {
      await app.get(Shutdown).drain(server);
      await app.close();
      process.exit(0);
    };
    process.once('SIGTERM', stop).once('SIGINT', stop);
  } catch (error) {
    process.stderr.write(`frontdesk can't start. ${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}
