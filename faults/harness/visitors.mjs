import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from './client.mjs';

/** Clients that read and write, by default without a pause, and reconnect on `Connection: close`. */
export class Visitors {
  answered = 0;
  #failures = [];
  #isOver = false;

  constructor(port, key, count, pauseMilliseconds = 0) {
    this.pauseMilliseconds = pauseMilliseconds;
    this.running = Array.from({ length: count }, (_, index) => this.#visit(new Client(port, key), index));
  }

  /** The outcomes of failed requests, except those during outages, `{ from, to }`. */
  failed(outages = []) {
    const isBeside = ({ begun, ended }) => outages.some(({ from, to }) => begun <= to && ended >= from);
    return this.#failures.filter((failure) => !isBeside(failure)).map(({ outcome }) => outcome);
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
      else if (!answer.isRefused) this.#fail(answer);
      else await sleep(20); // a refused connection is not a failed request
      if (this.pauseMilliseconds > 0) await sleep(this.pauseMilliseconds);
    }
    client.close();
  }

  #fail({ status, failure, begun, milliseconds }) {
    this.#failures.push({ outcome: status ?? failure, begun, ended: begun + milliseconds });
  }
}
