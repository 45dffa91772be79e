import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccounts } from '../../faults/harness/accounts.mjs';
import { createWebhooks } from '../../faults/harness/deliveries.mjs';
import { REACH_LOOPBACK } from '../../faults/harness/receiver.mjs';
import { MESSAGE } from './message.mjs';

const TIME = '2026-11-22 08:00:00';
/** Time before the first delivery is due, in which the service starts. */
const AHEAD_MILLISECONDS = 4_000;
const PATIENCE_MILLISECONDS = 120_000;
const CHUNK = 500;
const COLUMNS =
  'account_id, message_id, handler_id, type, lane, status, attempts, tries, next_attempt, send_at, is_counted, part, datetime';

/** Scheduled deliveries to webhooks of several accounts, and the record of their results. */
export class Load {
  /** When each delivery is due, by id. */
  due = new Map();

  constructor(stage, env, handlers) {
    Object.assign(this, { stage, env, handlers });
  }

  static async prepare(stage, { accounts: count, handlers: total, slots, url }) {
    const env = { ...REACH_LOOPBACK, DEMO: 'off' };
    const accounts = await createAccounts(stage, count);
    const service = await stage.start({ ...env, DELIVERY_CONCURRENCY: '0' });
    const handlers = [];
    for (const account of accounts) {
      await stage.query('INSERT INTO messages (account_id, title, text, url, datetime) VALUES (?, ?, ?, ?, ?)', [
        ...[account.id, MESSAGE.title, MESSAGE.text, MESSAGE.url, TIME],
      ]);
      const [{ message }] = await stage.query('SELECT MAX(id) AS message FROM messages');
      const urls = Array.from({ length: total / count }, () => url);
      for (const id of await createWebhooks(service.port, account, urls)) {
        handlers.push({ id, account: account.id, message });
        await makeSecret(service.port, account, id);
      }
    }
    await service.end('SIGTERM');
    return new Load(stage, { ...env, DELIVERY_CONCURRENCY: String(slots) }, handlers);
  }

  /** Replaces all deliveries: `count`, due one after another at this rate, through one handler after another. */
  async fill(count, rate) {
    for (const table of ['delivery_attempts', 'deliveries', 'delivery_lanes']) await this.stage.query(`DELETE FROM ${table}`);
    const begin = Date.now() + AHEAD_MILLISECONDS + (count / CHUNK) * 20;
    const dues = Array.from({ length: count }, (_, index) => Math.round(begin + (index * 1_000) / rate));
    for (let start = 0; start < count; start += CHUNK) {
      const rows = dues.slice(start, start + CHUNK).map((due, index) => this.#row(start + index, due));
      await this.stage.query(`INSERT INTO deliveries (${COLUMNS}) VALUES ${rows.join(', ')}`);
    }
    const lanes = this.handlers.map(({ id, account }, index) => `('webhook:${id}', ${account}, ${dues[index]}, 0, 0, 1, 0)`);
    await this.stage.query(
      `INSERT INTO delivery_lanes (lane, account_id, available, paused_until, is_slow, last_ms, last_claim) VALUES ${lanes.join(', ')}`,
    );
    const rows = await this.stage.query('SELECT id, next_attempt AS due FROM deliveries');
    this.due = new Map(rows.map(({ id, due }) => [Number(id), Number(due)]));
    if (Date.now() > begin - AHEAD_MILLISECONDS / 2) throw new Error('Filling took too long.');
  }

  /** Undefined on SQLite, which is part of the service. */
  get databasePid() {
    const file = join(dirname(this.stage.folder), 'mariadb', 'pid');
    return this.stage.name === 'mariadb' ? Number(readFileSync(file, 'utf8')) : undefined;
  }

  /** Starts the service, and returns when the first delivery is due. */
  async start() {
    const service = await this.stage.start(this.env);
    await sleep(Math.max(0, Math.min(...this.due.values()) - Date.now()));
    return service;
  }

  /** Ids and times of the arrivals, once all have arrived, or after two minutes. */
  async untilArrived(receiver, count) {
    const deadline = Date.now() + PATIENCE_MILLISECONDS;
    while ((await receiver.ask('count')) < count && Date.now() < deadline) await sleep(50);
    return receiver.ask('arrivals');
  }

  /** Deliveries that were not sent, received and recorded as delivered exactly once. */
  async difference(arrivals) {
    const received = new Map();
    for (const [id] of arrivals) received.set(id, (received.get(id) ?? 0) + 1);
    const sent = await this.stage.query(`SELECT deliveries.id AS id, deliveries.status AS status, attempts, COUNT(delivery_id) AS noted
      FROM deliveries LEFT JOIN delivery_attempts ON delivery_id = deliveries.id GROUP BY deliveries.id, deliveries.status, attempts`);
    const isRight = ({ id, status, attempts, noted }) =>
      status === 'delivered' && Number(attempts) === 1 && Number(noted) === 1 && received.get(Number(id)) === 1;
    const strangers = [...received.keys()].filter((id) => !this.due.has(id));
    return sent.filter((row) => !isRight(row)).length + strangers.length + Math.abs(sent.length - this.due.size);
  }

  #row(index, due) {
    const { id, account, message } = this.handlers[index % this.handlers.length];
    return `(${account}, ${message}, ${id}, 'webhook', 'webhook:${id}', 'pending', 0, 0, ${due}, ${due}, 0, '', '${TIME}')`;
  }
}

/** Creates the signing secret, which the first attempt would otherwise do. */
async function makeSecret(port, { key }, id) {
  const path = `/api/notification-handlers/${id}/signing-secret`;
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  if (status !== 200) throw new Error(`Reading a signing secret failed with ${status}.`);
}
