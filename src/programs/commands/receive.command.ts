import { Command, InvalidArgumentError } from 'commander';
import { lazy, portArgument } from './arguments';

/** Starts no application, because it needs no database. */
export function receiveCommand(): Command {
  return new Command('receive')
    .description('print the webhooks that arrive at http://127.0.0.1:<port>, to test deliveries; needs no database')
    .option('--port <number>', 'port to listen on', portArgument, 9000)
    .option('--secret <whsec_…>', 'signing secret: requests without a valid signature get 401', secretArgument)
    .action(lazy(() => import('./actions/receive.js'))('receive'));
}

function secretArgument(value: string): string {
  const [, encoded = ''] = /^whsec_(.+)$/s.exec(value) ?? [];
  const key = Buffer.from(encoded, 'base64');
  if (key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded) return value;
  throw new InvalidArgumentError('It must be a signing secret: whsec_ and 24 to 64 bytes in base64.');
}
