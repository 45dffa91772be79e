import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.mjs';
import { MESSAGES } from './deliveries.mjs';

const RETRY_MILLISECONDS = 25;

/** Concurrent senders of messages with unique texts. Retries keep the `Idempotency-Key` of the first attempt. */
export class Senders {
  /** The handlers of each acknowledged message, by its text. */
  acknowledged = new Map();
  #isOver = false;

  /** `ports` of services on one database; `pause` in milliseconds; `isToAll`: each message goes to all of the account's handlers. */
  constructor(ports, key, { count, handlers, pause, isToAll = false }) {
    this.ports = ports;
    this.key = key;
    this.handlers = handlers;
    this.pause = pause;
    this.isToAll = isToAll;
    this.running = Array.from({ length: count }, (_, index) => this.#run(index));
  }

  async end() {
    this.#isOver = true;
    await Promise.all(this.running);
  }

  async #run(index) {
    const client = new Client(this.ports[index % this.ports.length], this.key);
    for (let number = index; !this.#isOver; number += this.running.length) {
      const text = `message ${number}`;
      const handlers = this.isToAll ? this.handlers : this.#choose(number);
      const form = this.isToAll ? { text } : { text, handler_ids: handlers.join(',') };
      if (await this.#insist(client, form)) this.acknowledged.set(text, handlers);
      await sleep(this.pause);
    }
    client.close();
  }

  /** Every fifth message goes to three handlers. */
  #choose(number) {
    const one = (place) => this.handlers[(number + place) % this.handlers.length];
    return number % 5 === 0 ? [one(0), one(1), one(2)] : [one(0)];
  }

  /** Returns whether a message was acknowledged; retries even after the end, so that every message is settled. */
  async #insist(client, form) {
    const headers = { 'Idempotency-Key': randomUUID() };
    for (;;) {
      const { status, text } = await client.send('POST', MESSAGES, { form, headers });
      if (status === 201) return true;
      if (status === 400) throw new Error(`A message was refused: ${text}`);
      await sleep(RETRY_MILLISECONDS);
    }
  }
}
