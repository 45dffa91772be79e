import { DataSource, type EntityTarget, type ObjectLiteral, type QueryRunner, type SelectQueryBuilder } from 'typeorm';

/** Refuses row locks with a message that suggests an alternative; TypeORM's names neither the lock nor the database. */
export class SqliteDataSource extends DataSource {
  override createQueryBuilder<T extends ObjectLiteral>(...given: unknown[]): SelectQueryBuilder<T> {
    const builder = super.createQueryBuilder<T>(...(given as [EntityTarget<T>, string, QueryRunner?])); // or a query runner alone
    const setLock = builder.setLock.bind(builder) as (mode: string, ...rest: unknown[]) => typeof builder;
    builder.setLock = (mode: string, ...rest: unknown[]) => {
      if (/^(?:pessimistic|for)_/.test(mode)) throw lockRefused(mode);
      return setLock(mode, ...rest);
    };
    return builder;
  }
}

function lockRefused(mode: string): Error {
  return new Error(
    `SQLite has no row locks, so ${mode} can't be set. Write a conditional UPDATE, such as SET redeemed = redeemed + 1 ` +
      'WHERE redeemed < max, and check its affected rows: "Without locks" in docs/extending.md.',
  );
}
