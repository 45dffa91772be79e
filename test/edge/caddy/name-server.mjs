import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import dnsPacket from 'dns-packet';

const NXDOMAIN = 3;
const LONGEST_CHAIN = 8;

/** A resolver on 127.0.0.1 whose records can be set: it follows CNAMEs and answers NXDOMAIN for names without records. */
export class NameServer {
  #records = new Map();
  #socket = createSocket('udp4');

  async start() {
    this.#socket.on('message', (message, { port, address }) => {
      const { id, questions } = dnsPacket.decode(message);
      this.#socket.send(dnsPacket.encode(this.#answer(id, questions)), port, address);
    });
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    this.address = `127.0.0.1:${this.#socket.address().port}`;
    return this;
  }

  /** Takes records as the service's `records` show them: `{ type, name, value }`. */
  set(...records) {
    for (const { type, name, value } of records) {
      this.#records.set(name, [...(this.#records.get(name) ?? []), { type, name, ttl: 0, data: value }]);
    }
  }

  forget(name) {
    this.#records.delete(name);
  }

  end() {
    this.#socket.close();
  }

  #answer(id, questions) {
    const [{ name, type }] = questions;
    const known = this.#records.get(name.toLowerCase());
    const rcode = known ? 0 : NXDOMAIN;
    return { type: 'response', id, questions, flags: dnsPacket.RECURSION_AVAILABLE | rcode, answers: this.#find(name.toLowerCase(), type) };
  }

  #find(name, type, length = 0) {
    const here = this.#records.get(name) ?? [];
    const found = here.filter((record) => record.type === type);
    const [alias] = here.filter((record) => record.type === 'CNAME');
    if (found.length > 0 || !alias || length === LONGEST_CHAIN) return found;
    return [alias, ...this.#find(alias.data, type, length + 1)];
  }
}
