import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dialect, type Values, type Work, type Written } from './dialect';

/** A row with this key exists already. */
export class UniqueViolation extends Error {}

/** The one way to write: every insert, update and delete of the service goes through `run` or `write`. */
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

  /** One statement, which is a transaction by itself. @throws UniqueViolation */
  write(sql: string, values: Values): Promise<Written> {
    return this.dialect.write(sql, values).catch((error: unknown) => this.translate(error));
  }

  private translate(error: unknown): never {
    throw this.dialect.isUniqueViolation(error) ? new UniqueViolation() : error;
  }
}
