import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A table or column whose data is dropped. */
export interface Loss {
  table: string;
  column?: string;
}

type Named = string | { name: string };

const READS = /^\s*(SELECT|SHOW|PRAGMA|EXPLAIN)\b/i;
const NAME = '[`"]?(\\w+)[`"]?';
const DROPS_ROWS = new RegExp(`\\b(?:DROP\\s+TABLE(?:\\s+IF\\s+EXISTS)?|TRUNCATE(?:\\s+TABLE)?|DELETE\\s+FROM)\\s+${NAME}`, 'gi');
const DROPS_COLUMN = new RegExp(`\\bALTER\\s+TABLE\\s+${NAME}\\s+DROP\\s+(?:COLUMN\\s+)?${NAME}`, 'gi');

/** Dry-runs a migration's `down`. @throws Error when it does something a dry run can't track */
export async function findLosses(migration: MigrationInterface, runner: QueryRunner): Promise<Loss[]> {
  const losses: Loss[] = [];
  await migration.down(dryRunner(runner, losses));
  return losses;
}

/** Reads the schema, and records losses instead of writing. */
function dryRunner(runner: QueryRunner, losses: Loss[]): QueryRunner {
  const record = (...found: Loss[]) => Promise.resolve(void losses.push(...found));
  const recordTable = (table: Named) => record({ table: nameOf(table) });
  const recordColumns = (table: Named, columns: Named | Named[]) =>
    record(...[columns].flat().map((column) => ({ table: nameOf(table), column: nameOf(column) })));
  const overrides: Record<string, (...given: never[]) => Promise<unknown>> = {
    dropTable: recordTable,
    clearTable: recordTable,
    dropColumn: recordColumns,
    dropColumns: recordColumns,
    query: (sql: string, ...rest: unknown[]) => (READS.test(sql) ? runner.query(sql, ...(rest as [])) : record(...lossesOf(sql))),
  };
  return new Proxy(runner, {
    get: (target, name: string) => {
      if (Object.hasOwn(overrides, name)) return overrides[name];
      if (name === 'manager') throw new Error('An entity manager has no dry run.');
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return /^(get|has)[A-Z]/.test(name) ? value.bind(target) : () => Promise.resolve();
    },
  });
}

function nameOf(named: Named): string {
  return typeof named === 'string' ? named : named.name;
}

function lossesOf(sql: string): Loss[] {
  return [...sql.matchAll(DROPS_ROWS), ...sql.matchAll(DROPS_COLUMN)].map(([, table, column]) => ({ table, column }));
}
