import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.mjs';
import { MESSAGES } from './deliveries.mjs';
import { insist } from './insist.mjs';
import { none, tested } from './table.mjs';

const PAUSE_MILLISECONDS = 20;
/** Later than the last step: some acknowledgements find nothing left. */
const MAX_DELAY_MILLISECONDS = 25_000;
const FIND_UNSENT = "SELECT deliveries.id AS id FROM deliveries WHERE status = 'cancelled' AND attempts = 0";
const FIND_UNDELIVERED = `SELECT text FROM messages WHERE until = 'delivered'
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = messages.id AND status = 'delivered')`;

/**
 * Concurrent senders of messages in three steps. A third is acknowledged at some time, a third never, and a third continues until
 * delivered, first to a receiver that is down. Requests are retried until they get a response.
 */
export class Escalations {
  /** When each acknowledgement got its response, by the message's text, unless an attempt was in progress. */
  #answered = new Map();
  /** Handlers that each message must reach, by its text. */
  #expected = new Map();
  #acknowledging = [];
  #isOver = false;
  #running;

  /** `ports` of services on one database; `handlers`: three, and one whose receiver is down. */
  constructor(ports, key, { count, handlers }) {
    this.#running = Array.from({ length: count }, (_, index) => this.#run(new Client(ports[index % ports.length], key), handlers, index));
  }

  get count() {
    return this.#expected.size + this.#acknowledging.length;
  }

  /** Messages that must reach these handlers in any case. */
  get expected() {
    return this.#expected;
  }

  async end() {
    this.#isOver = true;
    await Promise.all(this.#running);
    await Promise.all(this.#acknowledging);
  }

  /** Table rows that compare the responses and the database with the arrivals. */
  async compare(arrivals, query, where) {
    const late = arrivals.filter(({ text, arrived }) => arrived > (this.#answered.get(text) ?? Infinity));
    const unsent = new Set((await query(FIND_UNSENT)).map(({ id }) => Number(id)));
    const yetSent = arrivals.filter(({ id }) => unsent.has(Number(id.split('_').at(-1))));
    return [
      tested(`messages in steps, ${where}`, this.count),
      tested(`acknowledged with nothing at work, ${where}`, this.#answered.size),
      none(`sent after an acknowledgement, ${where}`, late.length),
      tested(`deliveries cancelled before an attempt, ${where}`, unsent.size),
      none(`cancelled before an attempt, and yet sent, ${where}`, yetSent.length),
      none(`waited for a delivery, and got none, ${where}`, (await query(FIND_UNDELIVERED)).length),
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

  /** A lost response hides whether an attempt was in progress, so a retried acknowledgement is not recorded. */
  async #acknowledge(client, text, id) {
    await sleep(Math.random() * MAX_DELAY_MILLISECONDS);
    let isFirst = true;
    const { data } = await insist(client, `${MESSAGES}/${id}/acknowledgement`, undefined, () => (isFirst = false));
    if (isFirst && data.at_work === 0) this.#answered.set(text, Date.now());
  }
}
