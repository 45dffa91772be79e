import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from './client.mjs';

/** Clients that read and write without a pause, and reconnect on `Connection: close`. */
export class Visitors {
  answered = 0;
  /** Requests sent without success. */
  failed = [];
  #isOver = false;

  constructor(port, key, count) {
    this.running = Array.from({ length: count }, (_, index) => this.#visit(new Client(port, key), index));
  }

  async end() {
    this.#isOver = true;
    await Promise.all(this.running);
  }

  async #visit(client, index) {
    for (let count = 0; !this.#isOver; count++) {
      const form = { name: `visitor ${index}`, type: 'email' };
      const answer = (count + index) % 4 ? await client.send('GET', DOMAINS) : await client.send('POST', HANDLERS, { form });
      if (answer.status < 300) this.answered++;
      else if (!answer.isRefused) this.failed.push(answer.status ?? answer.failure);
      else await sleep(20); // a refused connection is not a failed request
    }
    client.close();
  }
}
