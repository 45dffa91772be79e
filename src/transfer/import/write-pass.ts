import type { EntityManager } from 'typeorm';
import { timestamp } from '../../common/time';
import { operatorContext } from '../../common/write-context';
import { audit } from '../../database/audit/audit';
import { countChanges } from '../../database/lists/list-changes';
import { UniqueViolation } from '../../database/writes/transactions';
import { FileError, type SourceRecord } from '../formats/source-record';
import { AccountCheck, type CheckedRecord } from './account-check';
import type { CheckResult, Database, ImportTask, Summary } from './import-task';
import { Progress } from './progress';
import { RecordWriter } from './record-writer';

/** Records per transaction. Each commit writes every index page touched, so a few large commits cost less. */
const BATCH = 25_000;

/** Writes a file's valid records: either those with an id or those without one. Each batch is one transaction. */
export class WritePass {
  private readonly check: AccountCheck;
  private readonly writer: RecordWriter;
  private readonly chunks: AsyncIterator<SourceRecord[], void>;
  private readonly progress = new Progress('Written');
  private lastLine = 0;

  constructor(
    private readonly task: ImportTask,
    private readonly database: Database,
    private readonly checkResult: CheckResult,
    private readonly summary: Summary,
    private readonly withId: boolean,
  ) {
    const { collection, accountId, records } = task;
    this.check = new AccountCheck(collection, accountId);
    this.writer = new RecordWriter(collection, accountId, database.dialect, timestamp());
    this.chunks = records.chunks();
  }

  /** @throws FileError saying how much was imported */
  async run(): Promise<void> {
    try {
      while (await this.writeBatch()) if (this.task.isInterrupted()) throw new FileError('Interrupted.');
    } catch (error) {
      const isTaken = error instanceof UniqueViolation;
      const reason = isTaken ? 'Another process has inserted an id or unique value that is also in the file.' : (error as Error).message;
      throw new FileError(`${reason.replace(/[^.?!]$/, '$&.')} ${this.outcome()}`);
    } finally {
      this.progress.clear();
      await this.chunks.return?.();
    }
  }

  /** Returns whether there may be more. */
  private async writeBatch(): Promise<boolean> {
    const { accountId, collection, records, isInterrupted } = this.task;
    let [written, inserted, line, isDone] = [0, 0, this.lastLine, false];
    await this.database.transactions.run(async (manager, statements) => {
      while (written < BATCH && !isInterrupted()) {
        const { value: chunk } = await this.chunks.next();
        if (!chunk) {
          isDone = true;
          break;
        }
        const valid = await this.validRecords(chunk, manager);
        await this.writer.write(valid, manager);
        written += valid.length;
        inserted += valid.filter(({ exists }) => !exists).length;
        line = chunk[chunk.length - 1].line;
        this.progress.update(this.written + written, records.fractionRead);
      }
      if (written === 0) return;
      await audit(statements, operatorContext(accountId), { action: 'import', record: collection.name, recordId: null });
      await countChanges(this.database.dialect, statements, accountId, { [collection.name]: { uncounted: 1 } });
    });
    this.summary.inserted += inserted;
    this.summary.updated += written - inserted;
    this.lastLine = line;
    return !isDone;
  }

  private async validRecords(chunk: SourceRecord[], manager: EntityManager): Promise<CheckedRecord[]> {
    const checked = await this.check.check(chunk, manager);
    const valid = checked.filter(({ source }) => !this.checkResult.badLines.has(source.line));
    const invalid = valid.find(({ problems }) => problems.length > 0);
    if (!invalid) return valid.filter(({ id }) => (id !== undefined) === this.withId);
    throw new FileError(`line ${invalid.source.line} passed the check but is no longer valid: the file or the database has changed.`);
  }

  private get written(): number {
    return this.summary.inserted + this.summary.updated;
  }

  private outcome(): string {
    if (this.written === 0) return 'Nothing was imported.';
    const { withId, withoutId } = this.checkResult;
    const imported = `${this.written} of ${withId + withoutId} records were imported`;
    const isRepeatable = this.withId || this.lastLine === 0 || this.task.collection.columns.some(({ isUnique }) => isUnique);
    if (isRepeatable) return `${imported}. Run the import again for the rest.`;
    const [which, repeated] = withId > 0 ? ['all with an id, and those without one', 'the latter'] : ['all', 'these'];
    const advice = `Remove ${repeated} from the file before you run it again, or they are inserted twice.`;
    return `${imported}: ${which} up to line ${this.lastLine}. ${advice}`;
  }
}
