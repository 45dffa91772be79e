import type { DataSource, EntityMetadata } from 'typeorm';
import { OperatorError } from '../../auth/accounts/accounts.service';
import type { RowValues } from '../../platform/database/dialect';
import { idOf, selectAll, type Snapshot } from './snapshot';

const MAX_PROBLEMS = 100;
const INTEGER_LIMITS: Record<string, number> = { tinyint: 2 ** 7, smallint: 2 ** 15, mediumint: 2 ** 23, int: 2 ** 31, integer: 2 ** 31 };
const MAX_TEXT_BYTES: Record<string, number> = { text: 65_535, mediumtext: 2 ** 24 - 1 };
/** Column types whose values every driver accepts and returns in the same form. */
const MOVABLE_TYPES = /^(?:varchar|char|(?:medium|long)?text|(?:tiny|small|medium|big)?int|integer|double|boolean|date|datetime)$/;
const KEYS_PER_STATEMENT = 1_000;

type ColumnMetadata = EntityMetadata['columns'][number];

interface CheckTotals {
  /** Number of values that the target can't keep. */
  problems: number;
  /** Rows of all tables. */
  rows: number;
}

/** Prints the first values that the target can't keep, each with table, id and column. Writes nothing. */
export async function findProblems(source: Snapshot, target: DataSource, print: (problem: string) => void): Promise<CheckTotals> {
  let count = 0;
  let rows = 0;
  const report = (problem: string) => ++count <= MAX_PROBLEMS && print(problem);
  const tables = target.entityMetadatas;
  for await (const [table] of source.rows(source.tables))
    if (table !== 'migrations' && !tables.some(({ tableName }) => tableName === table)) report(`${table}: no entity describes this table.`);
  if (source.orphans)
    for await (const [table, id, other] of source.rows(source.orphans)) report(`${table} ${id}: refers to no row of ${other}.`);
  for (const table of tables) {
    const rules = table.columns.map((column) => ruleOf(column, table, target.driver));
    for await (const row of source.rows(selectAll(table, source))) {
      rows++;
      for (const [index, findProblem] of rules.entries()) {
        const problem = findProblem(row[index]);
        if (problem) report(`${table.tableName} ${idOf(row, table)}: ${table.columns[index].databaseName} ${problem}.`);
      }
    }
    for (const key of target.options.type === 'mysql' ? await keysByCollation(table, target) : [])
      for (const duplicate of await duplicatesOf(key, table, source, target)) report(`${table.tableName} ${duplicate}.`);
  }
  return { problems: count, rows };
}

/** Returns why the target can't keep a value; undefined if it can. */
type Rule = (value: RowValues[number]) => string | undefined;

/** SQLite keeps any length and size; MySQL compares text without the spaces at its end. @throws OperatorError for a type that isn't movable */
function ruleOf(column: ColumnMetadata, table: EntityMetadata, driver: DataSource['driver']): Rule {
  const type = driver.normalizeType(column);
  if (!MOVABLE_TYPES.test(type)) throw new OperatorError(`${table.tableName}.${column.databaseName} can't be moved: its type is ${type}.`);
  const isMysql = driver.options.type === 'mysql';
  const [length, bytes] = [Number(driver.getColumnLength(column)) || Infinity, MAX_TEXT_BYTES[type] ?? Infinity];
  const limit = INTEGER_LIMITS[type] ?? Infinity;
  const pattern = timePattern(type, column);
  const isUnique = column.isPrimary || table.indices.some((index) => index.isUnique && index.columns.includes(column));
  return (value) => {
    if (typeof value === 'object' && value !== null) return 'is binary';
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'is an integer of more than 53 bits';
    if (!isMysql) return undefined;
    if (value !== null && pattern) return pattern.test(String(value)) ? undefined : 'is not a time in the format of this column';
    if (typeof value === 'number') return value < -limit || value >= limit ? 'is too large' : undefined;
    if (typeof value !== 'string') return undefined;
    if (value.length > length && Array.from(value).length > length) return `has more than ${length} characters`;
    if (Buffer.byteLength(value) > bytes) return 'has too many bytes';
    return isUnique && value.endsWith(' ') ? 'ends in a space' : undefined;
  };
}

/** Matches dates and times that MySQL stores unchanged, apart from trailing zeros of a fraction. */
function timePattern(type: string, { precision }: ColumnMetadata): RegExp | undefined {
  if (type === 'date') return /^\d{4}-\d\d-\d\d$/;
  return type === 'datetime' ? new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{0,${precision ?? 0}}0*)?$`) : undefined;
}

/** Unique keys with a column whose collation isn't binary, as an extension's table may have. */
async function keysByCollation(table: EntityMetadata, target: DataSource): Promise<ColumnMetadata[][]> {
  const keys = [table.primaryColumns, ...table.indices.filter(({ isUnique }) => isUnique).map(({ columns }) => columns)];
  const find = `SELECT column_name AS name FROM information_schema.columns
                WHERE table_schema = DATABASE() AND table_name = ? AND collation_name NOT IN ('utf8mb4_bin', 'ascii_bin')`;
  const collated = (await target.query<{ name: string }[]>(find, [table.tableName])).map(({ name }) => name);
  return keys.filter((columns) => columns.some(({ databaseName }) => collated.includes(databaseName)));
}

/** Has the target compare the keys, in a temporary table. */
async function duplicatesOf(key: ColumnMetadata[], table: EntityMetadata, source: Snapshot, target: DataSource): Promise<string[]> {
  const names = key.map(({ databaseName }) => target.driver.escape(databaseName)).join(', ');
  const runner = target.createQueryRunner();
  try {
    await runner.query(`CREATE TEMPORARY TABLE moved_keys AS SELECT ${names} FROM ${target.driver.escape(table.tableName)} LIMIT 0`);
    let rows: RowValues[] = [];
    const insert = async () => rows.length > 0 && (await runner.query('INSERT INTO moved_keys VALUES ?', [rows]));
    for await (const row of source.rows(selectAll(table, source))) {
      const values = key.map((column) => row[table.columns.indexOf(column)]);
      if (!values.includes(null)) rows.push(values);
      if (rows.length < KEYS_PER_STATEMENT) continue;
      await insert();
      rows = [];
    }
    await insert();
    const duplicates = await runner.manager.query<object[]>(
      `SELECT ${names} FROM moved_keys GROUP BY ${names} HAVING COUNT(*) > 1 LIMIT ${MAX_PROBLEMS}`,
    );
    await runner.query('DROP TEMPORARY TABLE moved_keys');
    const columns = key.map(({ databaseName }) => databaseName).join(', ');
    return duplicates.map((values) => `${Object.values(values).join(' ')}: ${columns} equals another row's in the collation of --to`);
  } finally {
    await runner.release();
  }
}
