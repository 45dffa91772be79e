import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

const CHUNK = 400;

/** Inserts rows with the same fields, many per statement, without TypeORM's query builder, which is slow for large seeds. */
export async function insertRows(dataSource: DataSource, entity: EntityTarget<ObjectLiteral>, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]) as (keyof (typeof rows)[0])[];
  const insert = `INSERT INTO ${dataSource.getMetadata(entity).tableName} (${columns.join(', ')}) VALUES`;
  const marks = `(${columns.map(() => '?').join(', ')})`;
  for (let start = 0; start < rows.length; start += CHUNK) {
    const chunk = rows.slice(start, start + CHUNK);
    const values = chunk.flatMap((row) => columns.map((column) => row[column]));
    await dataSource.query(`${insert} ${chunk.map(() => marks).join(', ')}`, values);
  }
}
