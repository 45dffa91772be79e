import { Client, DOMAINS, HANDLERS, readAll } from './client.mjs';
import { none, tested } from './table.mjs';
import { Writer } from './writer.mjs';

let generation = 0;

/** Several concurrent writers; compares their acknowledged writes with the stored records. */
export class Writers {
  constructor(port, key, count) {
    const name = `g${++generation}`;
    this.port = port;
    this.key = key;
    this.all = Array.from({ length: count }, (_, index) => new Writer(port, key, `${name}w${index}`));
    this.running = this.all.map((writer) => writer.run());
  }

  get acknowledged() {
    return this.all.reduce((sum, writer) => sum + writer.acknowledged, 0);
  }

  /** Number of responses by status or failure. */
  answers() {
    const sums = new Map();
    for (const writer of this.all) for (const [outcome, count] of writer.answers) sums.set(outcome, (sums.get(outcome) ?? 0) + count);
    return sums;
  }

  async end() {
    for (const writer of this.all) writer.end();
    await Promise.all(this.running);
    for (const writer of this.all) writer.client.close();
  }

  /** Table rows: acknowledged writes that are lost or doubled. */
  async compare(where) {
    const lists = await this.#read();
    const records = this.all.flatMap((writer) => [...writer.records]);
    const lost = records.filter(([name, record]) => isLost(record, lists.get(name) ?? []));
    const doubled = records.filter(([name]) => (lists.get(name) ?? []).length > 1);
    return [
      tested(`acknowledged writes, ${where}`, this.acknowledged),
      none(`acknowledged writes lost, ${where}`, lost.length),
      none(`writes doubled, ${where}`, doubled.length),
    ];
  }

  /** The stored records, by the name they were written with. */
  async #read() {
    const client = new Client(this.port, this.key);
    const [domains, handlers] = [await readAll(client, DOMAINS), await readAll(client, HANDLERS)];
    client.close();
    const lists = new Map();
    for (const record of [...domains, ...handlers]) {
      const name = record.host ?? record.name;
      lists.set(name, [...(lists.get(name) ?? []), record]);
    }
    return lists;
  }
}

function isLost(record, found) {
  if (record.deletion === 'known') return found.some(({ id }) => id === record.id); // the deletion was lost
  if (record.deletion) return false;
  if (!record.isKnown) return false;
  const kept = record.id === undefined ? found[0] : found.find(({ id }) => id === record.id);
  return !kept || isBehind(record, kept);
}

/** An update sent but not acknowledged may be stored or not. */
function isBehind({ known, sent }, { custom_index_url }) {
  if (known === undefined) return false;
  const value = Number(custom_index_url.split('/').at(-1));
  return !(value >= known && value <= sent);
}
