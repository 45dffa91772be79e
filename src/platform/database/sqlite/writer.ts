import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import type Libsql from 'libsql';
import type { Clock } from '../../common/clock';
import { Semaphore } from '../../common/concurrency';
import { driverError, type RowValues, type SqlExecutor, type Values, type WriteResult } from '../dialect';
import type { DatabaseFile } from './database-file';
import { wrapStatement, SqliteStatements } from './statements';

const LOCK_RETRY_MS = 20;
/** Rows written between checkpoints. A row touches up to seven pages; SQLite's default is a checkpoint every 1,000 pages. */
const CHECKPOINT_ROWS = 500;

/** Stands for a table's name when a statement may write to any table. */
const ANY_TABLE = '*';
const WRITES_NOTHING = /^(?:SELECT|COMMIT|ROLLBACK)\b/i;
const WRITES_ONE_TABLE = /^(?:INSERT (?:OR IGNORE )?INTO|UPDATE|DELETE FROM) "?(\w+)/i;

export interface WriterLimits {
  /** Maximum wait for this process's other transactions, and then again for those of other processes. */
  timeoutMs: number;
  /** When a waiting transaction times out, the open one is rolled back if it has been idle for longer than this. */
  idleMs: number;
}

/** This process's write connection, one transaction at a time. SQLite has a single writer anyway. */
export class SqliteWriter {
  private readonly mutex: Semaphore;
  private readonly statements: SqliteStatements;
  private readonly yielder: Yielder;
  private current?: SqliteTransaction;
  /** Number of transactions in which TypeORM wrote, by table. */
  private readonly typeormWrites = new Map<string, number>();
  /** Rows written since the last checkpoint. */
  private rowsSinceCheckpoint = 0;

  constructor(
    readonly database: Libsql.Database,
    private readonly file: DatabaseFile,
    private readonly limits: WriterLimits,
    private readonly checkpoint: () => void,
    private readonly clock: Clock,
  ) {
    this.mutex = new Semaphore(1, limits);
    this.statements = new SqliteStatements(database, clock);
    this.yielder = new Yielder(clock);
  }

  /**
   * A value that changes with every commit by another process, and with every write to these tables by this process's TypeORM. PRAGMA
   * data_version ignores commits on its own connection, so TypeORM's are counted here.
   */
  async changeMarker(tables: readonly string[]): Promise<string> {
    const [[version]] = await this.statements.read('PRAGMA data_version', []);
    return [version, ...[ANY_TABLE, ...tables].map((table) => this.typeormWrites.get(table) ?? 0)].join(' ');
  }

  async transaction<T>(work: (transaction: SqliteTransaction) => Promise<T>): Promise<T> {
    const transaction = await this.begin();
    try {
      const result = await work(transaction);
      await transaction.yielder.yieldIfDue();
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }

  /** Begins a transaction. Foreign-key checks can be switched off only before it begins. */
  async begin(hasForeignKeyChecks = true): Promise<SqliteTransaction> {
    await this.yielder.yieldIfDue();
    if (!(await this.mutex.acquire())) throw this.timeoutError();
    const release = () => {
      if (!hasForeignKeyChecks) this.database.pragma('foreign_keys = ON');
      this.mutex.release();
    };
    try {
      this.file.requireInPlace(); // takes 6 µs
      if (!hasForeignKeyChecks) this.database.pragma('foreign_keys = OFF');
      await this.lock();
      const end = () => {
        for (const table of transaction.typeormTables) this.typeormWrites.set(table, (this.typeormWrites.get(table) ?? 0) + 1);
        release();
        this.countRows(transaction.rowsWritten);
      };
      const transaction = new SqliteTransaction(this.database, this.statements, end);
      return (this.current = transaction);
    } catch (error) {
      release();
      throw error;
    }
  }

  private countRows(rows: number): void {
    this.rowsSinceCheckpoint += rows;
    if (this.rowsSinceCheckpoint < CHECKPOINT_ROWS) return;
    this.rowsSinceCheckpoint = 0;
    this.checkpoint();
  }

  /**
   * IMMEDIATE takes the write lock before the first read: a deferred transaction would fail if another process wrote between its first read
   * and its first write (https://sqlite.org/isolation.html). Uses exec(), because a prepared statement that got SQLITE_BUSY would stay open
   * and block every later commit of its connection.
   */
  private async lock(): Promise<void> {
    const deadline = this.clock.monotonic() + this.limits.timeoutMs;
    for (;;) {
      try {
        this.database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        const isBusy = String(driverError(error).code).startsWith('SQLITE_BUSY'); // also SQLITE_BUSY_SNAPSHOT, SQLITE_BUSY_RECOVERY
        if (!isBusy || this.clock.monotonic() > deadline) throw error;
        await sleep(LOCK_RETRY_MS);
      }
    }
  }

  private timeoutError(): Error {
    const { timeoutMs, idleMs } = this.limits;
    if (this.current && this.current.idleMs > idleMs) this.current.rollback(`It was idle for ${idleMs} ms while others waited.`);
    const message = `No write lock within ${timeoutMs} ms, because other transactions were open. Inside a transaction, write only through its manager or query runner: any other write waits for that transaction to end.`;
    return Object.assign(new Error(message), { code: 'SQLITE_BUSY' });
  }
}

/** A transaction on the writer's connection. Refuses statements once it is over: the connection may be in the next transaction. */
export class SqliteTransaction implements SqlExecutor {
  /** Tables that TypeORM has written to. */
  readonly typeormTables = new Set<string>();
  /** Rows written without TypeORM. */
  rowsWritten = 0;
  /** Lets the event loop run during a transaction of many statements: the driver is synchronous. */
  readonly yielder: Yielder;
  private lastUsed: number;
  /** Why the transaction is over; undefined while it is open. */
  private endReason?: string;

  constructor(
    private readonly database: Libsql.Database,
    private readonly statements: SqliteStatements,
    private readonly onEnd: () => void,
  ) {
    this.yielder = new Yielder(this.clock);
    this.lastUsed = this.clock.monotonic();
  }

  get clock(): Clock {
    return this.statements.clock;
  }

  get isOver(): boolean {
    return this.endReason !== undefined;
  }

  get idleMs(): number {
    return this.clock.monotonic() - this.lastUsed;
  }

  async read<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    await this.yielder.yieldIfDue();
    return this.run(() => this.statements.read(sql, values));
  }

  async write(sql: string, values: Values): Promise<WriteResult> {
    await this.yielder.yieldIfDue();
    const result = await this.run(() => this.statements.write(sql, values));
    this.rowsWritten += result.affected;
    return result;
  }

  async writeLast(sql: string, values: Values): Promise<void> {
    await this.write(sql, values);
  }

  /** `prepare` and `pragma` let TypeORM's query runner use this as its connection. */
  prepare(sql: string) {
    if (!WRITES_NOTHING.test(sql)) this.typeormTables.add(WRITES_ONE_TABLE.exec(sql)?.[1] ?? ANY_TABLE);
    return this.run(() => wrapStatement(this.database.prepare(sql), (execute) => this.run(execute)));
  }

  pragma(text: string): unknown {
    return this.run(() => this.database.pragma(text));
  }

  commit(): void {
    this.run(() => this.database.exec('COMMIT'));
  }

  /** Later statements are refused with this reason. Does nothing if the transaction is already over. */
  rollback(reason = 'It was rolled back.'): void {
    if (this.isOver) return;
    this.run(() => this.database.exec('ROLLBACK'));
    this.endReason = reason;
  }

  /** Runs a statement, and detects whether it ended the transaction: some errors roll it back (https://sqlite.org/lang_transaction.html). */
  private run<T>(statement: () => T): T {
    if (this.isOver) throw new Error(`This transaction is over. ${this.endReason}`);
    this.lastUsed = this.clock.monotonic();
    try {
      return statement();
    } finally {
      if (!this.database.inTransaction) {
        this.endReason = 'It was committed, or SQLite rolled it back.';
        this.onEnd();
      }
    }
  }
}

const MAX_BLOCKED_MS = 10;

/** Yields to the event loop once it has been blocked for 10 ms; yielding at each step would slow down a busy process. */
class Yielder {
  /** Start of the first step since the event loop last ran. */
  private start?: number;

  constructor(private readonly clock: Clock) {}

  async yieldIfDue(): Promise<void> {
    if (this.start !== undefined) {
      if (this.clock.monotonic() - this.start < MAX_BLOCKED_MS) return;
      await yieldToEventLoop();
    }
    this.start = this.clock.monotonic();
    setImmediate(() => (this.start = undefined));
  }
}
