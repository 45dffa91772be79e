import { Client } from './client.mjs';
import { MESSAGES } from './deliveries.mjs';
import { insist } from './insist.mjs';
import { none, tested } from './table.mjs';

const FIND_UNATTEMPTED = `SELECT text FROM messages JOIN deliveries ON message_id = messages.id
  WHERE status = 'cancelled' AND attempts = 0 AND text LIKE 'cancel %'`;
const FIND_DOUBLED = "SELECT text FROM messages WHERE text LIKE 'key %' GROUP BY text HAVING COUNT(*) > 1";

/** Concurrent senders that cancel their messages, and share their `dedup_key`s. Requests are retried until they get a response. */
export class Cancellations {
  /** Whether the service cancelled a message before an attempt, by the message's text. */
  #cancelled = new Map();
  #keys = new Set();
  #isOver = false;
  #running;

  /** `ports` of services on one database. */
  constructor(ports, key, { count, handlers }) {
    this.senders = count;
    this.#running = Array.from({ length: count }, (_, index) => this.#run(new Client(ports[index % ports.length], key), handlers, index));
  }

  /** Messages cancelled and keys used so far, the lesser of the two. */
  get count() {
    return Math.min(this.#cancelled.size, this.#keys.size);
  }

  async end() {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** Table rows that compare the responses and the database with the arrivals. `query` runs a statement on the database. */
  async compare(arrivals, query, where) {
    const arrived = new Set(arrivals.map(({ text }) => text));
    const yetSent = [...this.#cancelled].filter(([text, isCancelled]) => isCancelled && arrived.has(text));
    const unattempted = (await query(FIND_UNATTEMPTED)).filter(({ text }) => arrived.has(text));
    return [
      tested(`messages cancelled before they were sent, ${where}`, [...this.#cancelled.values()].filter(Boolean).length),
      none(`cancelled and yet sent, ${where}`, yetSent.length),
      none(`cancelled without an attempt in the database, and yet sent, ${where}`, unattempted.length),
      tested(`keys that ${this.senders} senders used, ${where}`, this.#keys.size),
      none(`created twice under one key, ${where}`, (await query(FIND_DOUBLED)).length),
    ];
  }

  /** Every other message is due at once, so that its attempt may begin before the cancellation. */
  async #run(client, handlers, index) {
    for (let number = 0; !this.#isOver; number++) {
      const text = `cancel ${index} ${number}`;
      const later = number % 2 === 0 ? { send_at: new Date(Date.now() + 500).toISOString() } : {};
      const { data } = await insist(client, MESSAGES, { text, handler_ids: String(handlers[number % handlers.length]), ...later });
      const { data: counts } = await insist(client, `${MESSAGES}/${data.id}/cancellation`);
      this.#cancelled.set(text, counts.cancelled === 1);
      const key = `key-${number}`;
      await insist(client, MESSAGES, { text: `key ${number}`, handler_ids: String(handlers[0]), dedup_key: key, dedup_seconds: '86400' });
      this.#keys.add(key);
    }
    client.close();
  }
}
