import type { DataSource } from 'typeorm';

/** The statements with which TypeORM would make the tables match the entities: none if the migrations are complete. For tests. */
export async function schemaDrift(dataSource: DataSource): Promise<string[]> {
  const options = dataSource.driver.options as { type: string };
  const { type } = options;
  // MariaDB reports the default of a nullable column as 'NULL', which TypeORM takes for a text unless the type is 'mariadb'.
  if (type === 'mysql' && (await isMariadb(dataSource))) options.type = 'mariadb';
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  } finally {
    options.type = type;
  }
}

async function isMariadb(dataSource: DataSource): Promise<boolean> {
  const [{ version }] = await dataSource.query<[{ version: string }]>('SELECT VERSION() AS version');
  return version.includes('MariaDB');
}
