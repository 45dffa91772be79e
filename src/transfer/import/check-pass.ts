import type { EntityManager } from 'typeorm';
import { FileError } from '../formats/source-record';
import { AccountCheck, type CheckedRecord } from './account-check';
import type { CheckResult, ImportTask } from './import-task';
import { IntegerSet } from './integer-set';
import { Progress } from './progress';

const MAX_SHOWN = 100;

/** Checks every record of a file and prints its problems, without writing to the database. */
export class CheckPass {
  private readonly result: CheckResult = { read: 0, bad: 0, badLines: new IntegerSet(), withId: 0, withoutId: 0 };
  private readonly progress = new Progress('Checked');
  private problems = 0;

  constructor(
    private readonly task: ImportTask,
    private readonly manager: EntityManager,
  ) {}

  /** @throws FileError */
  async run(): Promise<CheckResult> {
    const { collection, accountId, records, bad, isInterrupted } = this.task;
    const check = new AccountCheck(collection, accountId);
    try {
      for await (const chunk of records.chunks()) {
        if (isInterrupted()) throw new FileError('Interrupted during the check: nothing was imported.');
        for (const record of await check.check(chunk, this.manager)) {
          if (record.problems.length > 0) await this.reject(record);
          else if (record.id === undefined) this.result.withoutId++;
          else this.result.withId++;
        }
        this.result.read += chunk.length;
        this.progress.update(this.result.read, records.fractionRead);
      }
      await bad?.close();
    } catch (error) {
      await bad?.discard();
      throw error;
    } finally {
      this.progress.clear();
    }
    if (this.problems > MAX_SHOWN) this.progress.print(`… and ${this.problems - MAX_SHOWN} more.`);
    return this.result;
  }

  private async reject({ source, problems }: CheckedRecord): Promise<void> {
    this.result.bad++;
    this.result.badLines.add(source.line);
    for (const { column, reason } of problems) {
      if (++this.problems <= MAX_SHOWN) this.progress.print(`line ${source.line}: ${column ? `${column} ` : ''}${reason}.`);
    }
    await this.task.bad?.add(source, this.task.records.header);
  }
}
