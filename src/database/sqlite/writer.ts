import { setTimeout as sleep } from 'node:timers/promises';
import type Libsql from 'libsql';
import { Turns } from '../../common/turns';
import { driverError } from '../dialect';
import { Mutex } from './mutex';
import { SqliteStatements } from './statements';
import { SqliteTransaction } from './transaction';

const RETRY_MS = 20;
/** A row touches up to seven pages, and SQLite checkpoints 1,000 by itself. */
const CHECKPOINT_ROWS = 500;

export interface WriterLimits {
  /** Maximum wait for this process's other transactions, and then again for other processes. */
  timeoutMs: number;
  /** A transaction idle for longer is rolled back when another one times out. */
  idleMs: number;
}

/** This process's write connection, one transaction at a time. SQLite has a single writer anyway. */
export class SqliteWriter {
  private readonly mutex: Mutex;
  private readonly statements: SqliteStatements;
  private readonly turns = new Turns();
  private current?: SqliteTransaction;
  private typeormTransactions = 0;
  /** Rows written since the last checkpoint. */
  private rows = 0;

  constructor(
    readonly database: Libsql.Database,
    private readonly limits: WriterLimits,
    private readonly checkpoint: () => void,
  ) {
    this.mutex = new Mutex(limits.timeoutMs);
    this.statements = new SqliteStatements(database);
  }

  /** Changes with every commit of another process, and of TypeORM in this one: this connection's own don't count (PRAGMA data_version). */
  async changeMarker(): Promise<string> {
    const [[version]] = await this.statements.read('PRAGMA data_version', []);
    return `${version} ${this.typeormTransactions}`;
  }

  async transaction<T>(work: (transaction: SqliteTransaction) => Promise<T>): Promise<T> {
    const transaction = await this.begin();
    try {
      const result = await work(transaction);
      await transaction.yieldToEventLoop();
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }

  /** Foreign keys can be switched off only outside a transaction. */
  async begin(hasForeignKeyChecks = true): Promise<SqliteTransaction> {
    await this.turns.next();
    if (!(await this.mutex.acquire())) throw this.timedOut();
    const release = () => {
      if (!hasForeignKeyChecks) this.database.pragma('foreign_keys = ON');
      this.mutex.release();
    };
    try {
      if (!hasForeignKeyChecks) this.database.pragma('foreign_keys = OFF');
      await this.lock();
      const end = () => {
        if (transaction.isFromTypeorm) this.typeormTransactions++;
        release();
        this.countRows(transaction.rows);
      };
      const transaction = new SqliteTransaction(this.database, this.statements, end);
      return (this.current = transaction);
    } catch (error) {
      release();
      throw error;
    }
  }

  private countRows(rows: number): void {
    this.rows += rows;
    if (this.rows < CHECKPOINT_ROWS) return;
    this.rows = 0;
    this.checkpoint();
  }

  /**
   * IMMEDIATE takes the write lock before the first read: a deferred transaction fails when another process writes between
   * its own read and write (https://sqlite.org/isolation.html). Not prepared: a prepared statement that met SQLITE_BUSY stays
   * open, and blocks every later commit of its connection.
   */
  private async lock(): Promise<void> {
    const deadline = Date.now() + this.limits.timeoutMs;
    for (;;) {
      try {
        this.database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        const isBusy = String(driverError(error).code).startsWith('SQLITE_BUSY'); // also SQLITE_BUSY_SNAPSHOT, SQLITE_BUSY_RECOVERY
        if (!isBusy || Date.now() > deadline) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  private timedOut(): Error {
    const { timeoutMs, idleMs } = this.limits;
    if (this.current && this.current.idleMs > idleMs) this.current.rollback(`It was idle for ${idleMs} ms while others waited.`);
    const message = `No write lock within ${timeoutMs} ms: other transactions were open. Inside a transaction, write through its manager or query runner; any other write waits for it to end.`;
    return Object.assign(new Error(message), { code: 'SQLITE_BUSY' });
  }
}
