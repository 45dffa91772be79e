import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Dialect } from './dialect';

/** A row with this key exists already. */
export class UniqueViolation extends Error {}

/** The one way to write: every insert, update and delete of the service runs inside `run`. */
@Injectable()
export class Transactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** @throws UniqueViolation */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.dialect.transaction(this.dataSource, work);
    } catch (error) {
      throw this.dialect.isUniqueViolation(error) ? new UniqueViolation() : error;
    }
  }
}
