import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import dnsPacket from 'dns-packet';

/** A name server on 127.0.0.1; `addressesOf` gets a name and the type of the question, A or AAAA. */
export async function startNameServer(addressesOf) {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions } = dnsPacket.decode(message);
    const [{ name, type }] = questions;
    const found = addressesOf(name, type).filter((each) => isIPv4(each) === (type === 'A'));
    const answers = found.map((data) => ({ type, name, ttl: 0, data }));
    socket.send(dnsPacket.encode({ type: 'response', id, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, end: () => socket.close() };
}
