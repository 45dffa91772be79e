import { CheckPass } from './check-pass';
import type { Database, ImportTask, Summary } from './import-task';
import { WritePass } from './write-pass';

/** Checks every record of a file, then writes those with an id and those without one, in a pass each. @throws FileError */
export async function importFile(task: ImportTask, database: Database): Promise<Summary> {
  const checkResult = await new CheckPass(task, database.dataSource.manager).run();
  const { read, bad, withId, withoutId } = checkResult;
  const summary = { read, inserted: 0, updated: 0, bad };
  if (task.isDryRun || (bad > 0 && !task.bad)) return summary;
  await database.dialect.prepareBulk(database.dataSource);
  // Records with an id go first, so that a generated id can't collide with one later in the file.
  if (withId > 0) await new WritePass(task, database, checkResult, summary, true).run();
  if (withoutId > 0) await new WritePass(task, database, checkResult, summary, false).run();
  return summary;
}
