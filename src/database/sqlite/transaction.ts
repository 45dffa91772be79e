import type Libsql from 'libsql';
import { Turns } from '../../common/turns';
import type { RowValues, SqlExecutor, Values, WriteResult } from '../dialect';
import { bindable } from './parameter-binding';
import type { SqliteStatements } from './statements';

/** A transaction on the writer's connection. Refuses statements once it is over: another may have begun there. */
export class SqliteTransaction implements SqlExecutor {
  private lastUsed = performance.now();
  private end?: string;
  private isTypeorm = false;
  private written = 0;
  /** The driver is synchronous: a transaction of many statements would hold up the event loop. */
  private readonly turns = new Turns();

  constructor(
    private readonly database: Libsql.Database,
    private readonly statements: SqliteStatements,
    private readonly onEnd: () => void,
  ) {}

  get isOver(): boolean {
    return this.end !== undefined;
  }

  /** Whether TypeORM ran statements in it, which may write to any table. */
  get isFromTypeorm(): boolean {
    return this.isTypeorm;
  }

  /** How many it has written, without TypeORM. */
  get rows(): number {
    return this.written;
  }

  get idleMs(): number {
    return performance.now() - this.lastUsed;
  }

  async read<R extends RowValues>(sql: string, values: Values): Promise<R[]> {
    await this.turns.next();
    return this.run(() => this.statements.read(sql, values));
  }

  async write(sql: string, values: Values): Promise<WriteResult> {
    await this.turns.next();
    const result = await this.run(() => this.statements.write(sql, values));
    this.written += result.affected;
    return result;
  }

  /** Before what TypeORM runs, and before the commit. */
  yieldToEventLoop(): Promise<void> {
    return this.turns.next();
  }

  /** `prepare` and `pragma` let TypeORM's query runner use this as its connection. */
  prepare(sql: string) {
    this.isTypeorm = true;
    return this.run(() => bindable(this.database.prepare(sql), (execute) => this.run(execute)));
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
    this.end = reason;
  }

  /** Some errors make SQLite roll back on its own (https://sqlite.org/lang_transaction.html). */
  private run<T>(statement: () => T): T {
    if (this.isOver) throw new Error(`This transaction is over. ${this.end}`);
    this.lastUsed = performance.now();
    try {
      return statement();
    } finally {
      if (!this.database.inTransaction) {
        this.end = 'It was committed, or SQLite rolled it back.';
        this.onEnd();
      }
    }
  }
}
