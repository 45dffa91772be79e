import { Dialect } from '../../../../src/platform/database/dialect';
import type { TestApplication } from '../../../support/http/application';

/** Counts the statements in transactions that begin with `prefix`, until jest.restoreAllMocks(). Includes those of background work. */
export function countWrites({ app }: TestApplication, prefix: string): () => number {
  const dialect = app.get(Dialect);
  const transaction = dialect.statementTransaction.bind(dialect);
  let count = 0;
  jest.spyOn(dialect, 'statementTransaction').mockImplementation((work) =>
    transaction((statements) => {
      const write = statements.write.bind(statements);
      const counting: typeof write = (sql, values) => {
        if (sql.startsWith(prefix)) count++;
        return write(sql, values);
      };
      return work(Object.assign(statements, { write: counting })); // the same object, which TypeORM may join
    }),
  );
  return () => count;
}
