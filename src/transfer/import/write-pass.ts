import type { EntityManager } from 'typeorm';
import { audit } from '../../database/audit/audit';
import { operatorContext } from '../../common/write-context';
import { timestamp } from '../../common/time';
import { UniqueViolation } from '../../database/writes/transactions';
import { AccountCheck, type CheckedRecord } from './account-check';
import { FileError } from '../file-error';
import type { Database, ImportTask, Summary, Verdict } from './import-task';
import { Progress } from './progress';
import { RecordReader } from './record-reader';
import { RecordWriter } from './record-writer';
import type { SourceRecord } from '../formats/source-record';

/** How many records a transaction keeps: each commit writes every index page that it touched, so that few cost less. */
const BATCH = 25_000;

type Chunks = AsyncIterator<SourceRecord[], void>;

/** Writes the good records of a file, batch by batch: each is kept whole, or not at all. */
export class WritePass {
  readonly summary: Summary;
  private readonly writer: RecordWriter;
  private readonly progress = new Progress('Written');
  private lastLine = 0;

  constructor(
    private readonly task: ImportTask,
    private readonly database: Database,
    private readonly verdict: Verdict,
    private readonly isAsked: () => boolean,
  ) {
    this.summary = { read: verdict.read, inserted: 0, updated: 0, bad: verdict.badLines };
    this.writer = new RecordWriter(task.collection, task.accountId, database.dialect, timestamp());
  }

  /** Writes those that have an id, or those that have none. @throws FileError that says how far it came */
  async run(withId: boolean): Promise<void> {
    const chunks = this.task.records.chunks();
    const reader = new RecordReader(this.task.collection);
    const check = new AccountCheck(this.task.collection, this.task.accountId);
    const good = async (chunk: SourceRecord[], manager: EntityManager) => {
      const checked = await check.check(
        chunk.map((record) => reader.read(record)),
        manager,
      );
      return this.good(checked).filter(({ id }) => (id !== undefined) === withId);
    };
    try {
      while (await this.writeBatch(chunks, good)) if (this.isAsked()) throw new FileError('Interrupted.');
    } catch (error) {
      throw new FileError(`${reason(error)} ${this.kept(withId)}`);
    } finally {
      this.progress.clear();
      await chunks.return(undefined);
    }
  }

  /** Whether there may be more. */
  private async writeBatch(
    chunks: Chunks,
    good: (chunk: SourceRecord[], manager: EntityManager) => Promise<CheckedRecord[]>,
  ): Promise<boolean> {
    let [records, inserted, line, isOver] = [0, 0, this.lastLine, false];
    await this.database.transactions.run(async (manager, statements) => {
      while (records < BATCH && !this.isAsked()) {
        const { value: chunk, done } = await chunks.next();
        if (!chunk) {
          isOver = done === true;
          break;
        }
        const written = await good(chunk, manager);
        await this.writer.write(written, manager);
        records += written.length;
        inserted += written.filter(({ exists }) => !exists).length;
        line = chunk[chunk.length - 1].line;
        this.progress.tell(this.written + records, this.task.share());
      }
      const { accountId, collection } = this.task;
      if (records > 0) await audit(statements, operatorContext(accountId), { action: 'import', record: collection.name, recordId: null });
    });
    this.summary.inserted += inserted;
    this.summary.updated += records - inserted;
    this.lastLine = line;
    return !isOver;
  }

  private good(records: CheckedRecord[]): CheckedRecord[] {
    const left = records.filter(({ source }) => !this.verdict.bad.has(source.line));
    const changed = left.find(({ problems }) => problems.length > 0);
    if (changed)
      throw new FileError(`line ${changed.source.line} was good when it was checked: the file or the database has changed since.`);
    return left;
  }

  private get written(): number {
    return this.summary.inserted + this.summary.updated;
  }

  private kept(withId: boolean): string {
    if (this.written === 0) return 'Nothing is kept.';
    const whole = this.verdict.withId + this.verdict.withoutId;
    const kept = `${this.written} of ${whole} records are kept`;
    const isRepeatable = withId || this.task.collection.columns.some(({ isUnique }) => isUnique);
    if (isRepeatable) return `${kept}; run it again for the rest.`;
    const which = this.verdict.withId > 0 ? 'all that have an id, and of those without one' : 'all';
    return `${kept}: ${which} up to line ${this.lastLine}. Without an id these would be inserted again: leave them out when you run it again.`;
  }
}

function reason(error: unknown): string {
  return error instanceof UniqueViolation ? 'Another record with one of its ids or keys has come meanwhile.' : (error as Error).message;
}
