import type { EntityManager } from 'typeorm';
import { timestamp } from '../../common/time';
import { operatorContext } from '../../common/write-context';
import { audit } from '../../database/audit/audit';
import { UniqueViolation } from '../../database/writes/transactions';
import { FileError, type SourceRecord } from '../formats/source-record';
import { AccountCheck, type CheckedRecord } from './account-check';
import type { CheckResult, Database, ImportTask, Summary } from './import-task';
import { Progress } from './progress';
import { RecordWriter } from './record-writer';

/** Records per transaction. Each commit writes every index page touched, so few large ones cost less. */
const BATCH = 25_000;

/** Writes the good records of a file that have an id, or those without; each batch is a transaction. */
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

  /** @throws FileError saying how much is kept */
  async run(): Promise<void> {
    try {
      while (await this.writeBatch()) if (this.task.isInterrupted()) throw new FileError('Interrupted.');
    } catch (error) {
      const isTaken = error instanceof UniqueViolation;
      const reason = isTaken ? 'Another process has since inserted one of its ids or keys.' : (error as Error).message;
      throw new FileError(`${reason} ${this.kept()}`);
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
        const good = await this.goodRecords(chunk, manager);
        await this.writer.write(good, manager);
        written += good.length;
        inserted += good.filter(({ exists }) => !exists).length;
        line = chunk[chunk.length - 1].line;
        this.progress.update(this.written + written, records.fractionRead);
      }
      if (written > 0) await audit(statements, operatorContext(accountId), { action: 'import', record: collection.name, recordId: null });
    });
    this.summary.inserted += inserted;
    this.summary.updated += written - inserted;
    this.lastLine = line;
    return !isDone;
  }

  private async goodRecords(chunk: SourceRecord[], manager: EntityManager): Promise<CheckedRecord[]> {
    const checked = await this.check.check(chunk, manager);
    const good = checked.filter(({ source }) => !this.checkResult.badLines.has(source.line));
    const changed = good.find(({ problems }) => problems.length > 0);
    if (!changed) return good.filter(({ id }) => (id !== undefined) === this.withId);
    throw new FileError(`line ${changed.source.line} was good in the check: the file or the database has changed since.`);
  }

  private get written(): number {
    return this.summary.inserted + this.summary.updated;
  }

  private kept(): string {
    if (this.written === 0) return 'Nothing is kept.';
    const { withId, withoutId } = this.checkResult;
    const kept = `${this.written} of ${withId + withoutId} records are kept`;
    const isRepeatable = this.withId || this.lastLine === 0 || this.task.collection.columns.some(({ isUnique }) => isUnique);
    if (isRepeatable) return `${kept}; run it again for the rest.`;
    const which = withId > 0 ? 'all that have an id, and of those without one' : 'all';
    return `${kept}: ${which} up to line ${this.lastLine}. Without an id these would be inserted again: leave them out when you run it again.`;
  }
}
