import { Command } from 'commander';
import { start } from '../bootstrap/start';

/** Does the same as `npm start`, for a service installed as a package. */
export function startCommand(): Command {
  return new Command('start').description('start the service; SIGTERM or SIGINT stops it').action(async () => {
    await start();
    await new Promise(() => undefined); // the command line exits when a command returns
  });
}
