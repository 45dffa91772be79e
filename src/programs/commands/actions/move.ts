import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { DataSource } from 'typeorm';
import { OperatorError } from '../../../auth/accounts/accounts.service';
import type { Config } from '../../../platform/config/config';
import { readConfig } from '../../../platform/config/read-config';
import { Dialect } from '../../../platform/database/dialect';
import { Migrations, UNFINISHED_MOVE } from '../../../platform/database/migrations';
import { requireOwnership, requireWritableDatabase } from '../../../platform/database/sqlite/file-access';
import { copyKeyFile, keyFileOf } from '../../../platform/secrets/secrets-cipher';
import { DatabaseMove } from '../../transfer/move-database';
import { openSnapshot, type Snapshot } from '../../transfer/snapshot';
import type { JsonOption } from '../arguments';
import { countOf, printJson, printNotice } from './output';
import { createFullApplication } from './with-services';

interface MoveOptions extends JsonOption {
  to: string;
  whileRunning?: boolean;
}

const SOURCE_IN_USE =
  'The service is running on DATABASE_URL, and would keep writing data that the copy lacks: stop it, or add --while-running for a trial.';
const TARGET_IN_USE = 'Another process has opened the --to database: stop it.';
/** Tables that migrations, or the start of a service, add rows to. */
const SEEDED_TABLES = ['event_epochs', 'event_log', 'installations', 'list_changes', 'scheduled_jobs', 'stored_keys'];

export async function move({ to, whileRunning = false, json }: MoveOptions): Promise<void> {
  const from = readConfig();
  const keyFile = keyFileOf(from);
  if (keyFile && !existsSync(keyFile)) throw new OperatorError(`The key file ${keyFile} is missing: restore it first.`);
  const keys = keyFile && readFileSync(keyFile, 'utf8').trim().replaceAll('\n', ',');
  const target = readConfig({
    DATABASE_URL: to,
    DATABASE_URL_FILE: undefined,
    ...(keys && { SECRETS_KEY: keys, SECRETS_KEY_FILE: undefined }),
  });
  if (isDeepStrictEqual(from.database, target.database)) throw new OperatorError('--to is the database in DATABASE_URL.');
  for (const config of [from, target]) {
    requireOwnership(config);
    requireWritableDatabase(config);
  }
  const { database } = target;
  if (database.type === 'mysql' || existsSync(database.file)) (await openSnapshot(target, TARGET_IN_USE)).close();
  const source = await openSnapshot(from, whileRunning ? undefined : SOURCE_IN_USE);
  const copyKeys = keyFile && database.type === 'sqlite' ? () => copyKeyFile(keyFile, `${database.file}.key`) : undefined;
  try {
    const tables = await copy(source, target, whileRunning, copyKeys);
    for (const [table, rows] of tables) printNotice(`${table}: ${countOf(rows, 'row')}, the same on both sides`);
    if (json) printJson({ tables: Object.fromEntries(tables) });
    if (whileRunning)
      return printNotice('This was a trial: no service starts on the copy. To move, stop the service and repeat without --while-running.');
    printNotice(`${copyKeys ? 'The key file was copied, too. ' : ''}Start the service with:`);
    if (!json) process.stdout.write(`DATABASE_URL='${to}'${keys && !copyKeys ? ` SECRETS_KEY='${keys}'` : ''}\n`);
  } finally {
    source.close();
  }
}

/** Copies everything, and marks the move as finished unless it is a trial. */
async function copy(source: Snapshot, target: Config, isTrial: boolean, copyKeys?: () => void): Promise<Map<string, number>> {
  const app = await createFullApplication(target);
  const [dataSource, migrations] = [app.get(DataSource), app.get(Migrations)];
  try {
    await app.get(Dialect).checkServer(dataSource);
    await migrations.run(undefined, true);
    await claimTarget(dataSource, migrations, source);
    copyKeys?.();
    const moving = new DatabaseMove(source, { dataSource, dialect: app.get(Dialect), open: () => openSnapshot(target) });
    const tables = await moving.run();
    if (isTrial) return tables;
    await source.requireAlone();
    await migrations.endMove();
    return tables;
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Marks the target, so that no service starts on it. @throws OperatorError if the schemas differ, or if the target has records other than
 * an unfinished move's
 */
async function claimTarget(dataSource: DataSource, migrations: Migrations, source: Snapshot): Promise<void> {
  const targetNames = (await dataSource.query<{ name: string }[]>('SELECT name FROM migrations')).map(({ name }) => name);
  const sourceNames: unknown[] = [];
  for await (const [name] of source.rows('SELECT name FROM migrations')) sourceNames.push(name);
  if (sourceNames.includes(UNFINISHED_MOVE))
    throw new OperatorError('A move into DATABASE_URL has not finished: run that one again first.');
  if (!isDeepStrictEqual(new Set(sourceNames), new Set(targetNames.filter((name) => name !== UNFINISHED_MOVE))))
    throw new OperatorError('DATABASE_URL has the schema of another version, or of other extensions: run migrate there first.');
  if (targetNames.includes(UNFINISHED_MOVE)) return;
  await migrations.beginMove();
  for (const { tableName } of dataSource.entityMetadatas.filter(({ tableName }) => !SEEDED_TABLES.includes(tableName))) {
    const rows = await dataSource.query<unknown[]>(`SELECT 1 FROM ${dataSource.driver.escape(tableName)} LIMIT 1`);
    if (rows.length === 0) continue;
    await migrations.endMove();
    throw new OperatorError(`The --to database has records in ${tableName}: a move needs an empty one.`);
  }
}
