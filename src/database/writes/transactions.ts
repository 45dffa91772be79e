import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dialect, type EntityWork, type Work } from '../dialect';

/** A row with this key exists already. */
export class UniqueViolation extends Error {}

/** What takes several statements: all of them are kept, or none. */
@Injectable()
export class Transactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** All of the work is kept, or nothing. @throws UniqueViolation */
  run<T>(work: EntityWork<T>): Promise<T> {
    return this.dialect.transaction(this.dataSource, work).catch((error: unknown) => this.translate(error));
  }

  /** The same, of statements alone. @throws UniqueViolation */
  runStatements<T>(work: Work<T>): Promise<T> {
    return this.dialect.statementTransaction(this.dataSource, work).catch((error: unknown) => this.translate(error));
  }

  private translate(error: unknown): never {
    throw this.dialect.isUniqueViolation(error) ? new UniqueViolation() : error;
  }
}
