import { Dialect } from '../../src/platform/database/dialect';
import type { TestApplication } from './application';

/** Counts the statements of transactions that begin with a text from now on; the background writes, too. Until jest.restoreAllMocks(). */
export function countWrites({ app }: TestApplication, prefix: string): () => number {
  const dialect = app.get(Dialect);
  const transaction = dialect.statementTransaction.bind(dialect);
  let count = 0;
  jest.spyOn(dialect, 'statementTransaction').mockImplementation((work) =>
    transaction((statements) =>
      work({
        clock: statements.clock,
        read: (sql, values) => statements.read(sql, values),
        write(sql, values) {
          if (sql.startsWith(prefix)) count++;
          return statements.write(sql, values);
        },
      }),
    ),
  );
  return () => count;
}
