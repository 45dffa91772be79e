import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A table that loses rows, or the values of a column. */
export interface Loss {
  table: string;
  column?: string;
}

const READS = /^\s*(SELECT|SHOW|PRAGMA|EXPLAIN)\b/i;
const NAME = '[`"]?(\\w+)[`"]?';
const DROPS_ROWS = new RegExp(`\\b(?:DROP\\s+TABLE(?:\\s+IF\\s+EXISTS)?|TRUNCATE(?:\\s+TABLE)?|DELETE\\s+FROM)\\s+${NAME}`, 'gi');
const DROPS_COLUMN = new RegExp(`\\bALTER\\s+TABLE\\s+${NAME}\\s+DROP\\s+(?:COLUMN\\s+)?${NAME}`, 'gi');

/** What a migration's `down` would drop, found by running it against a runner that only takes note. @throws Error when `down` can't do with that */
export async function findLosses(migration: MigrationInterface, runner: QueryRunner): Promise<Loss[]> {
  const losses: Loss[] = [];
  await migration.down(noteTaker(runner, losses));
  return losses;
}

/** Lets reads of the schema through, and carries out nothing else. */
function noteTaker(runner: QueryRunner, losses: Loss[]): QueryRunner {
  const noted: Record<string, (...given: never[]) => Promise<unknown>> = {
    dropTable: (table: Named) => note({ table: nameOf(table) }),
    clearTable: (table: Named) => note({ table: nameOf(table) }),
    dropColumn: (table: Named, column: Named) => note({ table: nameOf(table), column: nameOf(column) }),
    dropColumns: (table: Named, columns: Named[]) => note(...columns.map((column) => ({ table: nameOf(table), column: nameOf(column) }))),
    query: (sql: string, ...rest: unknown[]) => (READS.test(sql) ? runner.query(sql, ...(rest as [])) : note(...lossesOf(sql))),
  };
  const note = (...found: Loss[]): Promise<void> => Promise.resolve(void losses.push(...found));
  return new Proxy(runner, {
    get: (target, name: string) => {
      if (Object.hasOwn(noted, name)) return noted[name];
      if (name === 'manager') throw new Error('Entities are written.');
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return /^(get|has)[A-Z]/.test(name) ? value.bind(target) : () => Promise.resolve();
    },
  });
}

type Named = string | { name: string };

function nameOf(named: Named): string {
  return typeof named === 'string' ? named : named.name;
}

function lossesOf(sql: string): Loss[] {
  return [
    ...[...sql.matchAll(DROPS_ROWS)].map(([, table]) => ({ table })),
    ...[...sql.matchAll(DROPS_COLUMN)].map(([, table, column]) => ({ table, column })),
  ];
}
