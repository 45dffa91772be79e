import { once } from 'node:events';
import { Command, Option } from 'commander';
import { portArgument, secretArgument } from './arguments';
import { printNotice } from './output';
import { webhookReceiver } from './receiver/webhook-receiver';

const HOST = '127.0.0.1';

interface Options {
  port: number;
  secret?: Buffer;
}

/** Needs no database, so it starts no application. */
export function receiveCommand(): Command {
  return new Command('receive')
    .description(`print the webhooks that arrive at http://${HOST}:<port>, to try deliveries; needs no database`)
    .addOption(new Option('--port <number>', 'port to listen on').default(9000).argParser(portArgument))
    .addOption(new Option('--secret <whsec_…>', 'signing secret: requests without a valid signature get 401').argParser(secretArgument))
    .action(run);
}

async function run({ port, secret }: Options): Promise<void> {
  const server = webhookReceiver((text) => process.stdout.write(text), secret);
  server.listen(port, HOST);
  await once(server, 'listening');
  printNotice(`Listening on http://${HOST}:${port}. To stop, press Ctrl+C.`);
  await termination();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Waits for SIGINT or SIGTERM; a second one ends the process. */
async function termination(): Promise<void> {
  const listening = new AbortController();
  await Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal: listening.signal })));
  listening.abort();
}
