import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { drainServer } from '../../../src/platform/http/server/connections';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

test('a server that drains answers the connections that wait to be accepted', async () => {
  const server = createServer((_request, response) => response.end('answered'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  const answers = sockets.map((socket) => text(socket).catch(({ code }: NodeJS.ErrnoException) => code));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(REQUEST);
  await drainServer(server, () => undefined);
  expect(await Promise.all(answers)).toEqual(answers.map(() => expect.stringMatching(/answered$/)));
});
