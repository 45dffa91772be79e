import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from './client.mjs';
import { MESSAGES } from './deliveries.mjs';

const RETRY_MILLISECONDS = 50;
const TYPES = { [DOMAINS]: 'domain', [HANDLERS]: 'notification_handler', [MESSAGES]: 'message' };
const UPDATES = 3;
let generation = 0;

/**
 * Writers that create, update and delete domains and handlers, and send messages. Each attempt has its own request id, which the log
 * keeps, so that each event can be matched to a write.
 */
export class EventWriters {
  /** Acknowledged writes: `type`, the record's `id`, and the `requests` that were sent for it. */
  acknowledged = [];
  #isOver = false;
  #count = 0;
  #name = `e${++generation}`;

  /** `handlers` get the messages. */
  constructor(ports, key, { count, pause, handlers }) {
    this.ports = ports;
    this.key = key;
    this.pause = pause;
    this.handlers = handlers;
    this.running = Array.from({ length: count }, (_, index) => this.#run(index));
  }

  /** Resolves once every started write is settled. */
  async end() {
    this.#isOver = true;
    await Promise.all(this.running);
  }

  async #run(index) {
    for (let turn = index; !this.#isOver; turn++) {
      const port = () => this.ports[turn % this.ports.length];
      if (index % 4 === 3)
        await this.#write(port, 'created', MESSAGES, { text: 'an event', handler_ids: String(this.handlers[turn % this.handlers.length]) });
      else await this.#live(port, index % 2 === 0 ? DOMAINS : HANDLERS);
      await sleep(this.pause);
    }
  }

  /** Other requests of the process may update the same record, so each update has a higher number. */
  async #live(port, path) {
    const name = `${this.#name}-${++this.#count}.example.com`;
    const id = await this.#write(
      port,
      'created',
      path,
      path === DOMAINS ? { host: name } : { name, type: 'email', email: 'a@example.com' },
    );
    for (let number = 1; number <= UPDATES && !this.#isOver; number++) {
      const form = path === DOMAINS ? { custom_index_url: `https://example.com/${number}` } : { name: `${name} ${number}` };
      await this.#write(port, 'updated', path, form, id);
    }
    if (this.#count % 2 === 0) await this.#write(port, 'deleted', path, undefined, id);
  }

  /** The record's id, once the write is acknowledged. */
  async #write(port, action, path, form, id) {
    const requests = [];
    const key = randomUUID();
    for (;;) {
      const request = `${this.#name}-${++this.#count}`;
      requests.push(request);
      const headers = { 'X-Request-Id': request, ...(action === 'created' && { 'Idempotency-Key': key }) };
      const client = new Client(port(), this.key, { timeout: 20_000 });
      const answer = await client.send(action === 'deleted' ? 'DELETE' : 'POST', id === undefined ? path : `${path}/${id}`, {
        form,
        headers,
      });
      client.close();
      const isDone = answer.status < 300 || (action === 'deleted' && answer.status === 404 && requests.length > 1);
      if (isDone) {
        const record = id ?? JSON.parse(answer.text).data.id;
        this.acknowledged.push({ type: `${TYPES[path]}.${action}`, id: record, requests, last: answer.status < 300 ? request : undefined });
        return record;
      }
      if (answer.status < 500 && ![409, 429].includes(answer.status))
        throw new Error(`${action} ${path} responded with ${answer.status}: ${answer.text}`);
      await sleep(RETRY_MILLISECONDS);
    }
  }
}
