import type { EntityManager } from 'typeorm';
import { type ColumnValue, NOW } from '../../platform/common/records';
import { timestamp } from '../../platform/common/time';
import { operatorContext } from '../../platform/common/write-context';
import { logAuditedEvent, causedBy, logEvents } from '../../platform/database/events/event-log';
import { countChanges } from '../../platform/database/lists/list-changes';
import { ImportCheck, type CheckedRecord, checkFile, uniqueKeys } from './check-pass';
import { type CheckResult, type ImportTask, Progress, type Summary } from './import-task';
import { TransferError, type SourceRecord } from './source';

/** Checks every record of a file, then writes those with an id in one pass, and the others in a second. @throws TransferError */
export async function importFile(task: ImportTask): Promise<Summary> {
  const checkResult = await checkFile(task);
  const { read, bad, withId, withoutId } = checkResult;
  const summary = { read, inserted: 0, updated: 0, bad };
  if (task.isDryRun || (bad > 0 && !task.bad)) return summary;
  await task.dialect.prepareBulk(task.dataSource);
  // Records with an id go first, so that a generated id can't collide with one later in the file.
  try {
    if (withId > 0) await new WritePass(task, checkResult, summary, true).run();
    if (withoutId > 0) await new WritePass(task, checkResult, summary, false).run();
  } catch (error) {
    await logCompletion(task, summary).catch(() => undefined); // the first error is the cause
    throw error;
  }
  await logCompletion(task, summary);
  return summary;
}

/** Logs an import that has written something, also when it was interrupted. */
async function logCompletion({ dataSource, dialect, accountId, collection }: ImportTask, summary: Summary): Promise<void> {
  const { inserted, updated, bad } = summary;
  if (inserted + updated === 0) return;
  const data = { collection: collection.name, inserted, updated, bad };
  await dataSource.transaction(async (manager) => {
    const event = { action: 'complete', record: 'import', recordId: null, data };
    await logEvents(await dialect.statementsOf(manager), causedBy(operatorContext(accountId)), [event]);
  });
}

/** Records per transaction, a multiple of a chunk. Each commit writes every index page touched, so a few large commits cost less. */
const RECORDS_PER_BATCH = 25_600;

/** Writes a file's valid records: either those with an id or those without one. Each batch is one transaction. */
class WritePass {
  private readonly check: ImportCheck;
  private readonly writer: RecordWriter;
  private readonly chunks: AsyncIterator<SourceRecord[], void>;
  private readonly progress = new Progress('Written');
  private lastNumber = 0;

  constructor(
    private readonly task: ImportTask,
    private readonly checkResult: CheckResult,
    private readonly summary: Summary,
    private readonly withId: boolean,
  ) {
    this.check = new ImportCheck(task);
    this.writer = new RecordWriter(task, timestamp(task.dialect.clock.now()));
    this.chunks = task.records.chunks();
  }

  /** @throws TransferError saying how much was imported */
  async run(): Promise<void> {
    try {
      while (await this.writeBatch()) if (this.task.isInterrupted()) throw new TransferError('Interrupted.');
    } catch (error) {
      const isTaken = this.task.dialect.errorKind(error) === 'duplicate';
      const reason = isTaken ? 'Another process has inserted an id or unique value that is also in the file.' : (error as Error).message;
      throw new TransferError(`${reason.replace(/[^.?!]$/, '$&.')} ${this.outcome()}`);
    } finally {
      this.progress.clear();
      await this.chunks.return?.();
    }
  }

  /** Returns whether there may be more. */
  private async writeBatch(): Promise<boolean> {
    const { accountId, collection, records, dataSource, dialect, isInterrupted } = this.task;
    let [written, inserted, number, isDone] = [0, 0, this.lastNumber, false];
    // A failed transaction isn't retried: its chunks have been read, and can't be read again.
    await dataSource.transaction(async (manager) => {
      while (written < RECORDS_PER_BATCH && !isInterrupted()) {
        const { value: chunk } = await this.chunks.next();
        if (!chunk) {
          isDone = true;
          break;
        }
        const valid = await this.validRecords(chunk, manager);
        await this.writer.write(valid, manager);
        written += valid.length;
        inserted += valid.filter(({ exists }) => !exists).length;
        number = chunk[chunk.length - 1].number;
        this.progress.update(this.written + written, records.fractionRead);
      }
      if (written === 0) return;
      const statements = await dialect.statementsOf(manager);
      await logAuditedEvent(statements, operatorContext(accountId), { action: 'import', record: collection.name, recordId: null });
      await countChanges(dialect, statements, accountId, { [collection.name]: { uncounted: 1 } });
    });
    this.summary.inserted += inserted;
    this.summary.updated += written - inserted;
    this.lastNumber = number;
    return !isDone;
  }

  private async validRecords(chunk: SourceRecord[], manager: EntityManager): Promise<CheckedRecord[]> {
    const checked = await this.check.check(chunk, manager);
    const valid = checked.filter(({ source }) => !this.checkResult.badNumbers.has(source.number));
    const invalid = valid.find(({ problems }) => problems.length > 0);
    if (!invalid) return valid.filter(({ id }) => (id !== undefined) === this.withId);
    throw new TransferError(
      `record ${invalid.source.number} passed the check but is no longer valid: the file or the database has changed.`,
    );
  }

  private get written(): number {
    return this.summary.inserted + this.summary.updated;
  }

  private outcome(): string {
    if (this.written === 0) return 'Nothing was imported.';
    const { withId, withoutId } = this.checkResult;
    const imported = `${this.written} of ${withId + withoutId} records were imported`;
    const { collection, dataSource } = this.task;
    const isRepeatable = this.withId || this.lastNumber === 0 || uniqueKeys(collection, dataSource).length > 0;
    if (isRepeatable) return `${imported}. Run the import again for the rest.`;
    const [which, repeated] = withId > 0 ? ['all with an id, and those without one', 'the latter'] : ['all', 'these'];
    const advice = `Remove ${repeated} from the file before you run it again, or they are inserted twice.`;
    return `${imported}: ${which} up to record ${this.lastNumber}. ${advice}`;
  }
}

/** Writes records with their defaults and folded columns. */
class RecordWriter {
  private readonly defaults: Record<string, ColumnValue>;
  private readonly updateTimes: Record<string, ColumnValue>;

  constructor(
    private readonly task: ImportTask,
    now: string,
  ) {
    const { columns } = task.collection;
    this.defaults = Object.fromEntries(columns.map(({ name, fallback = null }) => [name, fallback === NOW ? now : fallback]));
    this.updateTimes = Object.fromEntries(columns.filter(({ isUpdateTime }) => isUpdateTime).map(({ name }) => [name, now]));
  }

  /** Inserts or updates records, of which either all have an id or none has. */
  async write(records: CheckedRecord[], manager: EntityManager): Promise<void> {
    const added: CheckedRecord[] = [];
    const updated: Record<string, CheckedRecord[]> = {}; // grouped by the columns present: an absent one keeps its value
    for (const record of records) {
      const values = record.exists ? { ...this.updateTimes, ...record.values } : record.values;
      const group = record.exists ? (updated[Object.keys(values).join()] ??= []) : added;
      group.push({ ...record, values });
    }
    const { collection, dialect } = this.task;
    await this.insert(added, manager);
    for (const group of Object.values(updated)) {
      const columns = this.withFolded(Object.keys(group[0].values));
      await this.insert(group, manager, dialect.sql.upsertClause(collection.id.column, columns));
    }
  }

  private async insert(records: CheckedRecord[], manager: EntityManager, suffix = ''): Promise<void> {
    if (records.length === 0) return;
    const { name: table, id, columns } = this.task.collection;
    const key = records[0].id === undefined ? [] : [id.column];
    const names = [...key, 'account_id', ...this.withFolded(columns.map(({ name }) => name))];
    const rows = records.map((record) => this.rowOf(record));
    await this.task.dialect.insert(manager, table, names, rows, suffix);
  }

  private withFolded(names: string[]): string[] {
    const folded = new Set(this.task.collection.columns.filter(({ fold }) => fold).map(({ name }) => name));
    return names.flatMap((name) => (folded.has(name) ? [name, `${name}_folded`] : name));
  }

  private rowOf({ id, values }: CheckedRecord): ColumnValue[] {
    const { accountId, collection } = this.task;
    const row: ColumnValue[] = id === undefined ? [accountId] : [id, accountId];
    for (const { name, fold } of collection.columns) {
      const value = name in values ? values[name] : this.defaults[name];
      row.push(value);
      if (fold) row.push(fold(String(value)));
    }
    return row;
  }
}
