import { CheckPass } from './check-pass';
import type { Database, ImportTask, Summary, Verdict } from './import-task';
import { WritePass } from './write-pass';

/**
 * Imports a file in two passes: the first checks every record and writes nothing, the second writes in transactions.
 * @throws FileError
 */
export async function importFile(task: ImportTask, database: Database, isAsked: () => boolean): Promise<Summary> {
  const verdict = await new CheckPass(task, database.dataSource.manager, isAsked).run();
  const isRefused = verdict.badLines > 0 && !task.bad;
  if (isRefused || task.isDryRun) return { read: verdict.read, inserted: 0, updated: 0, bad: verdict.badLines };
  await database.dialect.prepareBulk(database.dataSource);
  const pass = new WritePass(task, database, verdict, isAsked);
  for (const part of partsOf(verdict)) await pass.run(part);
  return pass.summary;
}

/**
 * Records with an id are written before those without, so that no new id is one that the file gives later on; the
 * database counts on behind those that it was given.
 */
function partsOf({ withId, withoutId }: Verdict): boolean[] {
  return [...(withId > 0 ? [true] : []), ...(withoutId > 0 ? [false] : [])];
}
