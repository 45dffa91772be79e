import type Libsql from 'libsql';
import { Mutex, retryWhileBusy } from './mutex';
import { SqliteStatements } from './statements';
import { SqliteTransaction } from './transaction';

export interface WriterLimits {
  /** For so long a write waits for its turn, and then for other processes. */
  waitMilliseconds: number;
  /** Whoever keeps others waiting for so long without a statement is rolled back. */
  idleMilliseconds: number;
}

/** The connection on which this process writes, one transaction at a time. SQLite has no more than one writer anyway. */
export class SqliteWriter {
  private readonly turns: Mutex;
  private readonly statements: SqliteStatements;
  private current?: SqliteTransaction;

  constructor(
    readonly database: Libsql.Database,
    private readonly limits: WriterLimits,
  ) {
    this.turns = new Mutex(limits.waitMilliseconds);
    this.statements = new SqliteStatements(database);
  }

  /** All of the work is kept, or nothing. */
  async transaction<T>(work: (transaction: SqliteTransaction) => Promise<T>): Promise<T> {
    const transaction = await this.begin();
    try {
      const result = await work(transaction);
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }

  /**
   * Waits for the turn, which ends with the transaction. IMMEDIATE takes the write lock before the first read; a deferred
   * transaction fails when another process writes between its own read and write (https://sqlite.org/isolation.html).
   * Foreign keys can be switched off only outside a transaction.
   */
  async begin(checksForeignKeys = true): Promise<SqliteTransaction> {
    if (!(await this.turns.acquire())) throw this.refusal();
    try {
      if (!checksForeignKeys) this.database.pragma('foreign_keys = OFF');
      await retryWhileBusy(() => this.database.exec('BEGIN IMMEDIATE'), this.limits.waitMilliseconds);
      return (this.current = new SqliteTransaction(this.database, this.statements, () => this.giveTurn(checksForeignKeys)));
    } catch (error) {
      this.giveTurn(checksForeignKeys);
      throw error;
    }
  }

  private giveTurn(checksForeignKeys: boolean): void {
    if (!checksForeignKeys) this.database.pragma('foreign_keys = ON');
    this.turns.release();
  }

  private refusal(): Error {
    const { waitMilliseconds, idleMilliseconds } = this.limits;
    if (this.current && this.current.idleMilliseconds > idleMilliseconds) {
      this.current.rollback(`It kept others waiting for ${idleMilliseconds} ms without a statement, and was rolled back.`);
    }
    const message = `No write in ${waitMilliseconds} ms: other transactions were open. Inside a transaction, write through its manager or query runner; any other write waits for it to end.`;
    return Object.assign(new Error(message), { code: 'SQLITE_BUSY' });
  }
}
