import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

const HEADER_AND_PROTOCOL = 5;
/** After the version: the connection id, 8 bytes of the challenge, a filler. CLIENT_SSL is in the second byte after them. */
const CAPABILITIES = 4 + 8 + 1;
const CLIENT_SSL_IN_SECOND_BYTE = 0x08;

/** A proxy that removes TLS from the server's greeting, as an attacker would. */
export async function downgrading(port: number): Promise<Server> {
  const listener = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    far.once('data', (greeting: Buffer) => {
      const capabilities = greeting.indexOf(0, HEADER_AND_PROTOCOL) + 1 + CAPABILITIES;
      greeting[capabilities + 1] &= ~CLIENT_SSL_IN_SECOND_BYTE;
      near.write(greeting);
      near.pipe(far).pipe(near);
    });
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return listener;
}

export function portOf(listener: Server): number {
  return (listener.address() as AddressInfo).port;
}
