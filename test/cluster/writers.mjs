import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const WRITERS = 8;
const PAUSE_MILLISECONDS = 10; // between writes, to leave the cores to the nodes
const RETRY_MILLISECONDS = 100;
const ANSWER_MILLISECONDS = 10_000;
const MOST_TRIES = 300;
const OLDER_DOMAINS = 5;

/** Eight clients that write until stopped, and remember what was acknowledged. */
export class Writers {
  /** Time of each success, in milliseconds of `performance.now()`. */
  successes = [];
  /** Time and kind of each failure that a client saw. */
  failures = [];
  domains = [];
  handlers = [];
  #isRunning = true;
  #turn = 0;
  #all;

  constructor(services, key) {
    this.services = services;
    this.headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-www-form-urlencoded' };
    this.#all = Promise.all(Array.from({ length: WRITERS }, (_nothing, writer) => this.#write(writer)));
    this.#all.catch(() => undefined); // reported by `stop`
  }

  /** Resolves when each has the response to its last write. */
  stop() {
    this.#isRunning = false;
    return this.#all;
  }

  async #write(writer) {
    const own = [];
    for (let number = 0; this.#isRunning; number++) {
      const name = `${writer}-${number}`;
      if (number % 3 === 0) own.push(...(await this.#createDomain(name)));
      else if (number % 3 === 1) await this.#createHandler(name);
      else await this.#update(own.at(-1 - (number % OLDER_DOMAINS)) ?? own.at(-1), number);
      await sleep(PAUSE_MILLISECONDS);
    }
  }

  async #createDomain(name) {
    const domain = { host: `shop-${name}.example.com`, pages: [''] };
    domain.id = (await this.#post('/api/domains', { host: domain.host }))?.id;
    this.domains.push(domain);
    return domain.id === undefined ? [] : [domain];
  }

  async #createHandler(name) {
    const handler = { name: `alerts-${name}` };
    handler.id = (await this.#post('/api/notification-handlers', { ...handler, type: 'email', email: 'ops@example.com' }))?.id;
    this.handlers.push(handler);
  }

  /** `pages` lists the possible values: the last acknowledged one, then those with an unknown outcome. */
  async #update(domain, number) {
    if (!domain) return;
    const page = `https://example.com/${number}`;
    domain.pages.push(page);
    if (await this.#post(`/api/domains/${domain.id}`, { custom_index_url: page })) domain.pages = [page];
  }

  /** Retries until the outcome is final, alternating between the services, always with the same key. */
  async #post(path, fields) {
    const headers = { ...this.headers, 'Idempotency-Key': randomUUID() };
    const body = new URLSearchParams(fields).toString();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { address } = this.services[this.#turn++ % this.services.length];
      const { data, problem, isFinal } = await ask(address + path, { method: 'POST', headers, body });
      if (data) {
        this.successes.push(performance.now());
        return data;
      }
      this.failures.push({ at: performance.now(), problem });
      if (isFinal) return undefined;
      await sleep(RETRY_MILLISECONDS);
    }
    throw new Error(`POST ${path} had no answer in ${MOST_TRIES} tries.`);
  }
}

async function ask(url, options) {
  try {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    const { data, errors } = await response.json();
    if (response.ok) return { data };
    return { problem: `${response.status} ${errors[0].code}`, isFinal: response.status < 500 };
  } catch (error) {
    return { problem: error.cause?.code ?? error.name };
  }
}
