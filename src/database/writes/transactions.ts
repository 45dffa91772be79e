import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Dialect, type SqlExecutor, type Work } from '../dialect';

/** A row with this unique key already exists. */
export class UniqueViolation extends Error {}

/** The body of a transaction that uses entities, statements, or both. */
export type EntityWork<T> = (manager: EntityManager, statements: SqlExecutor) => Promise<T>;

@Injectable()
export class Transactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** @throws UniqueViolation */
  run<T>(work: EntityWork<T>): Promise<T> {
    return this.dataSource
      .transaction(async (manager) => work(manager, await this.dialect.statementsOf(manager)))
      .catch((error: unknown) => this.translate(error));
  }

  /** Faster than `run`. @throws UniqueViolation */
  runStatements<T>(work: Work<T>): Promise<T> {
    return this.dialect.statementTransaction(work).catch((error: unknown) => this.translate(error));
  }

  private translate(error: unknown): never {
    throw this.dialect.errorKind(error) === 'duplicate' ? new UniqueViolation() : error;
  }
}
