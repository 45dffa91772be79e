import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from './client.mjs';

const RETRY_MILLISECONDS = 25;

/**
 * Creates, updates and deletes, one request after another, and records what was sent and what was acknowledged. Retries
 * after errors and lost responses, as a client would; creates keep the key of the first attempt.
 */
export class Writer {
  /** Records by name: `id` once acknowledged, `sent` and `known` values of updates, and the state of a `deletion`. */
  records = new Map();
  answers = new Map();
  acknowledged = 0;
  #isOver = false;
  #count = 0;

  constructor(port, key, name) {
    this.client = new Client(port, key);
    this.name = name;
  }

  async run() {
    await this.#create(DOMAINS);
    while (!this.#isOver) await this.#next();
  }

  /** Stops after the request in flight. */
  end() {
    this.#isOver = true;
  }

  #next() {
    const turn = this.#count % 10;
    if (turn < 5) return this.#create(HANDLERS);
    if (turn < 7) return this.#create(DOMAINS);
    return turn < 9 ? this.#update() : this.#delete();
  }

  async #create(path) {
    const number = ++this.#count;
    const name = `${this.name}-${number}.example.com`;
    const record = { path };
    this.records.set(name, record);
    const form = path === DOMAINS ? { host: name } : { name, type: 'email', email: 'a@example.com' };
    const answer = await this.#insist('POST', path, { form, headers: { 'Idempotency-Key': randomUUID() } });
    // On a retry, a taken host means that the first attempt was carried out.
    if (answer && (answer.status === 409 || answer.status === 201)) this.#acknowledge(record, answer);
  }

  async #update() {
    const number = ++this.#count;
    const [record] = this.records.values();
    if (record.id === undefined) return;
    record.sent = number; // higher is later
    const form = { custom_index_url: `https://example.com/${number}` };
    const answer = await this.#insist('POST', `${DOMAINS}/${record.id}`, { form });
    if (answer?.status === 200) {
      record.known = number;
      this.acknowledged++;
    }
  }

  async #delete() {
    this.#count++;
    const record = [...this.records.values()].find(({ path, id, deletion }) => path === HANDLERS && id !== undefined && !deletion);
    if (!record) return;
    record.deletion = 'sent';
    const answer = await this.#insist('DELETE', `${HANDLERS}/${record.id}`);
    if (answer?.status === 200 || answer?.status === 404) {
      record.deletion = 'known';
      this.acknowledged++;
    }
  }

  #acknowledge(record, { status, text }) {
    record.isKnown = true;
    if (status === 201) record.id = JSON.parse(text).data.id;
    this.acknowledged++;
  }

  /** The final response, or undefined if the writer is stopped first. */
  async #insist(method, path, request) {
    for (;;) {
      const answer = await this.client.send(method, path, request);
      const outcome = answer.status ?? answer.failure;
      this.answers.set(outcome, (this.answers.get(outcome) ?? 0) + 1);
      if (isSettled(answer)) return answer;
      if (this.#isOver) return undefined;
      await sleep(RETRY_MILLISECONDS);
    }
  }
}

/** Any conflict other than a taken host means that the first attempt is still running. */
function isSettled({ status, text }) {
  if (status === 409) return JSON.parse(text).errors[0].code === 'host_taken';
  return status < 500 && status !== 429;
}
