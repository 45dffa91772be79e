import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import dnsPacket from 'dns-packet';

/** Codes of responses without records (RFC 1035, 4.1.1). */
const RESPONSE_CODES = { SERVFAIL: 2, NXDOMAIN: 3 };

/** A name server on 127.0.0.1; `addressesOf` gets a name and the type of the question, A or AAAA. */
export function startNameServer(addressesOf) {
  return serveNames((name, type) => addressesOf(name, type).filter((each) => isIPv4(each) === (type === 'A')));
}

/** A name server on 127.0.0.1; `recordsOf` gets a name and a type, and returns values or a response code. */
export async function serveNames(recordsOf) {
  const socket = createSocket('udp4');
  socket.on('message', async (message, { port, address }) => {
    const { id, questions } = dnsPacket.decode(message);
    const [{ name, type }] = questions;
    const found = await recordsOf(name, type);
    const answers = Array.isArray(found) ? found.map((data) => ({ type, name, ttl: 0, data })) : [];
    const response = dnsPacket.encode({ type: 'response', flags: RESPONSE_CODES[found] ?? 0, id, questions, answers });
    socket.send(response, port, address, () => {}); // a killed process no longer receives
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, end: () => socket.close() };
}
