import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.mjs';
import { MESSAGES } from './deliveries.mjs';
import { insist } from './insist.mjs';
import { none, tested } from './table.mjs';

const PAUSE_MILLISECONDS = 20;
/** Later than the last step: some acknowledgements find nothing left. */
const LATEST_MILLISECONDS = 25_000;
const UNSENT = "SELECT deliveries.id AS id FROM deliveries WHERE status = 'cancelled' AND attempts = 0";
const UNDELIVERED = `SELECT text FROM messages WHERE until = 'delivered'
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = messages.id AND status = 'delivered')`;

/**
 * Concurrent senders of messages in three steps. A third is acknowledged at some time, a third never, and a third goes on until it is
 * delivered, first to a receiver that is gone. Each request is retried until it is answered.
 */
export class Escalations {
  /** When each acknowledgement was answered, by the message's text, unless something was at work. */
  #answered = new Map();
  /** Handlers that each message must reach, by its text. */
  #expected = new Map();
  #acknowledging = [];
  #isOver = false;
  #running;

  /** `ports` of services on one database; `handlers`: three, and one that is gone. */
  constructor(ports, key, { count, handlers }) {
    this.#running = Array.from({ length: count }, (_, index) => this.#run(new Client(ports[index % ports.length], key), handlers, index));
  }

  get count() {
    return this.#expected.size + this.#acknowledging.length;
  }

  /** Messages that must reach these handlers whatever happens. */
  get expected() {
    return this.#expected;
  }

  async end() {
    this.#isOver = true;
    await Promise.all(this.#running);
    await Promise.all(this.#acknowledging);
  }

  /** Table rows that compare the answers and the database with what has arrived. */
  async compare(arrivals, query, where) {
    const late = arrivals.filter(({ text, arrived }) => arrived > (this.#answered.get(text) ?? Infinity));
    const unsent = new Set((await query(UNSENT)).map(({ id }) => Number(id)));
    const yetSent = arrivals.filter(({ id }) => unsent.has(Number(id.split('_').at(-1))));
    return [
      tested(`messages in steps, ${where}`, this.count),
      tested(`acknowledged with nothing at work, ${where}`, this.#answered.size),
      none(`sent after an acknowledgement, ${where}`, late.length),
      tested(`deliveries cancelled before an attempt, ${where}`, unsent.size),
      none(`cancelled before an attempt, and yet sent, ${where}`, yetSent.length),
      none(`waited for a delivery, and got none, ${where}`, (await query(UNDELIVERED)).length),
    ];
  }

  async #run(client, [first, second, third, gone], index) {
    const steps = `10:${second};20:${third}`;
    for (let number = 0; !this.#isOver; number++) {
      const kind = ['acknowledged', 'never', 'delivered'][number % 3];
      const text = `${kind} ${index} ${number}`;
      const form = kind === 'delivered' ? { handler_ids: String(gone), until: 'delivered' } : { handler_ids: String(first) };
      const { data } = await insist(client, MESSAGES, { text, steps, ...form });
      if (kind === 'acknowledged') this.#acknowledging.push(this.#acknowledge(client, text, data.id));
      else this.#expected.set(text, kind === 'never' ? [first, second, third] : [gone, second]);
      await sleep(PAUSE_MILLISECONDS);
    }
  }

  /** An answer that was lost hides whether something was at work: a repeat counts none. */
  async #acknowledge(client, text, id) {
    await sleep(Math.random() * LATEST_MILLISECONDS);
    let isFirst = true;
    const { data } = await insist(client, `${MESSAGES}/${id}/acknowledgement`, undefined, () => (isFirst = false));
    if (isFirst && data.at_work === 0) this.#answered.set(text, Date.now());
  }
}
