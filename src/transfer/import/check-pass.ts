import type { EntityManager } from 'typeorm';
import { AccountCheck, type CheckedRecord } from './account-check';
import { FileError } from '../file-error';
import type { ImportTask, Verdict } from './import-task';
import { IntegerSet } from './integer-set';
import { Progress } from './progress';
import { type Problem, RecordReader } from './record-reader';

const MAX_SHOWN = 100;

/** Checks every record of a file, says what is wrong with each, and writes nothing to the database. */
export class CheckPass {
  private readonly verdict: Verdict = { read: 0, badLines: 0, bad: new IntegerSet(), withId: 0, withoutId: 0 };
  private readonly progress = new Progress('Checked');
  private problems = 0;

  constructor(
    private readonly task: ImportTask,
    private readonly manager: EntityManager,
    private readonly isAsked: () => boolean,
  ) {}

  async run(): Promise<Verdict> {
    const { collection, accountId, records, share } = this.task;
    const reader = new RecordReader(collection);
    const check = new AccountCheck(collection, accountId);
    try {
      for await (const chunk of records.chunks()) {
        if (this.isAsked()) throw new FileError('Interrupted during the check: nothing is kept.');
        const checked = await check.check(
          chunk.map((record) => reader.read(record)),
          this.manager,
        );
        for (const record of checked) if (record.problems.length > 0) await this.refuse(record);
        this.count(checked);
        this.progress.tell(this.verdict.read, share());
      }
      await this.task.bad?.close();
    } catch (error) {
      await this.task.bad?.discard();
      throw error;
    } finally {
      this.progress.clear();
    }
    if (this.problems > MAX_SHOWN) this.progress.say(`… and ${this.problems - MAX_SHOWN} more.`);
    return this.verdict;
  }

  private count(checked: CheckedRecord[]): void {
    const good = checked.filter(({ problems }) => problems.length === 0);
    const withId = good.filter(({ id }) => id !== undefined).length;
    this.verdict.read += checked.length;
    this.verdict.withId += withId;
    this.verdict.withoutId += good.length - withId;
  }

  private async refuse({ source, problems }: CheckedRecord): Promise<void> {
    this.verdict.badLines++;
    this.verdict.bad.add(source.line);
    for (const problem of problems) if (++this.problems <= MAX_SHOWN) this.progress.say(sentence(source.line, problem));
    await this.task.bad?.add(source, this.task.records.header);
  }
}

function sentence(line: number, { column, reason }: Problem): string {
  return `line ${line}: ${column ? `${column} ` : ''}${reason}.`;
}
