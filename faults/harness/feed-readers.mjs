import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.mjs';

const FEED = '/api/events';
const WAIT_SECONDS = 2;
const RETRY_MILLISECONDS = 50;

/** Readers of an account's feed. Each follows its own cursor, through a different process each time. */
export class FeedReaders {
  #isOver = false;

  constructor(ports, key, count) {
    this.ports = ports;
    this.key = key;
    this.answers = new Map();
    /** The events that each reader has read, in order. */
    this.lists = Array.from({ length: count }, () => []);
    this.running = this.lists.map((list, index) => this.#follow(list, index));
  }

  /** Call after the last write: every reader then reads until there are no more events. */
  async end() {
    this.#isOver = true;
    await Promise.all(this.running);
  }

  async #follow(list, index) {
    for (let after = 'oldest', turn = index; ; turn++) {
      const isLast = this.#isOver;
      const page = await this.#read(this.ports[turn % this.ports.length], {
        after,
        limit: index === 0 ? 3 : 100,
        wait: isLast ? 0 : WAIT_SECONDS,
      });
      if (!page) continue;
      list.push(...page.data);
      after = page.meta.next;
      if (isLast && page.data.length === 0) return;
    }
  }

  /** Undefined without a response; the cursor is then sent again. */
  async #read(port, query) {
    const client = new Client(port, this.key, { timeout: (WAIT_SECONDS + 10) * 1_000 });
    const { status, text, failure } = await client.send('GET', `${FEED}?${new URLSearchParams(query)}`);
    client.close();
    this.answers.set(status ?? failure, (this.answers.get(status ?? failure) ?? 0) + 1);
    if (status === 200) return JSON.parse(text);
    if (status < 500 && status !== 429) throw new Error(`${FEED} responded with ${status}: ${text}`);
    await sleep(RETRY_MILLISECONDS);
    return undefined;
  }
}
