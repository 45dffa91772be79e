import type Libsql from 'libsql';
import type { RowValues, Statements, Values, WriteResult } from '../dialect';
import { bindable } from './binding';
import type { SqliteStatements } from './statements';

/**
 * A transaction on the connection that writes. Its statements are refused once it is over: the connection may be in
 * somebody else's by then.
 */
export class SqliteTransaction implements Statements {
  private lastUsed = performance.now();
  private end?: string;

  constructor(
    private readonly database: Libsql.Database,
    private readonly statements: SqliteStatements,
    private readonly onEnd: () => void,
  ) {}

  get isOver(): boolean {
    return this.end !== undefined;
  }

  /** Since the last statement. */
  get idleMilliseconds(): number {
    return performance.now() - this.lastUsed;
  }

  async read(sql: string, values: Values): Promise<RowValues[]> {
    return this.run(() => this.statements.read(sql, values));
  }

  async write(sql: string, values: Values): Promise<WriteResult> {
    return this.run(() => this.statements.write(sql, values));
  }

  /** What a query runner of TypeORM's calls of a connection. */
  prepare(sql: string) {
    const { reader, all, run } = this.run(() => bindable(this.database.prepare(sql)));
    return {
      reader,
      all: (...values: unknown[]) => this.run(() => all(...values)),
      run: (...values: unknown[]) => this.run(() => run(...values)),
    };
  }

  /** The same. */
  pragma(text: string): unknown {
    return this.run(() => this.database.pragma(text));
  }

  commit(): void {
    this.run(() => this.database.exec('COMMIT'));
  }

  /** Undoes it, unless it is over; `why` is what later statements are refused with. */
  rollback(why = 'It was rolled back.'): void {
    if (this.isOver) return;
    this.run(() => this.database.exec('ROLLBACK'));
    this.end = why;
  }

  /** Some errors make SQLite roll back by itself (https://sqlite.org/lang_transaction.html). */
  private run<T>(statement: () => T): T {
    if (this.isOver) throw new Error(`This transaction is over. ${this.end}`);
    this.lastUsed = performance.now();
    try {
      return statement();
    } finally {
      if (!this.database.inTransaction) {
        this.end = 'It was committed, or SQLite has rolled it back.';
        this.onEnd();
      }
    }
  }
}
