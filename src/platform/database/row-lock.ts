import type { EntityManager, FindOneOptions } from 'typeorm';

/** The `lock` option for a find in a transaction. Undefined on SQLite, which has one writer at a time and refuses the option. */
export function rowLock({ dataSource }: EntityManager, onLocked?: 'skip_locked'): FindOneOptions['lock'] {
  return dataSource.options.type === 'mysql' ? { mode: 'pessimistic_write', onLocked } : undefined;
}
