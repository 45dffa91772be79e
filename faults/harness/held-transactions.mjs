import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { createConnection } from 'mysql2/promise';

const LOCK_MILLISECONDS = 50; // libsql waits in this process
/** On SQLite, an open transaction keeps all others from writing. */
const PAUSE_MILLISECONDS = { mariadb: 300, sqlite: 3_000 };
const UPDATE = 'UPDATE domains SET custom_index_url = ? WHERE id = ?';
const LOG = `INSERT INTO events (datetime, account_id, action, record, record_id, request_id, is_audited, is_by_service, data)
  VALUES (?, ?, 'update', 'domain', ?, ?, 0, 1, '{"changed":["custom_index_url"]}')`;

/** Connections that write like the service, and then hold their transactions open. */
export class HeldTransactions {
  /** Acknowledged writes, as in `EventWriters`. */
  acknowledged = [];
  #isOver = false;

  /** Each connection updates one of these domains. */
  constructor(stage, account, domains, milliseconds) {
    this.stage = stage;
    this.account = account;
    this.milliseconds = milliseconds;
    this.running = domains.map((id) => this.#run(id));
  }

  async end() {
    this.#isOver = true;
    await Promise.all(this.running);
  }

  async #run(id) {
    for (let number = 1; !this.#isOver; number++) {
      const request = `held-${id}-${number}`;
      const statements = [
        [UPDATE, [`https://example.com/held/${number}`, id]],
        [LOG, [new Date().toISOString().slice(0, 19).replace('T', ' '), this.account.id, id, request]],
      ];
      const isDone = await this.#hold(statements).then(
        () => true,
        () => false,
      );
      if (isDone) this.acknowledged.push({ type: 'domain.updated', id, requests: [request], last: request, isHeld: true });
      await sleep(PAUSE_MILLISECONDS[this.stage.name]);
    }
  }

  async #hold(statements) {
    const connection = await this.#connect();
    try {
      for (const [sql, values] of statements) await connection.write(sql, values);
      await sleep(this.milliseconds);
      await connection.write('COMMIT');
    } finally {
      connection.close();
    }
  }

  async #connect() {
    const { DATABASE_URL } = this.stage.env;
    if (this.stage.name === 'mariadb') {
      const connection = await createConnection(DATABASE_URL);
      connection.on('error', () => {}); // the next statement fails
      await connection.query('BEGIN');
      return { write: (sql, values) => connection.query(sql, values), close: () => connection.destroy() };
    }
    const database = new Database(DATABASE_URL.slice('sqlite:'.length), { timeout: LOCK_MILLISECONDS });
    try {
      database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      database.close();
      throw error;
    }
    return { write: (sql, values = []) => void database.prepare(sql).run(...values), close: () => database.close() };
  }
}
