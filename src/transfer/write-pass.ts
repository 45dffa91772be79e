import type { EntityManager } from 'typeorm';
import { type ColumnValue, NOW, type RecordColumns } from '../common/records';
import { timestamp } from '../common/time';
import { operatorContext } from '../common/write-context';
import { audit } from '../database/audit/audit';
import type { Dialect } from '../database/dialect';
import { countChanges } from '../database/lists/list-changes';
import { UniqueViolation } from '../database/writes/transactions';
import { AccountCheck, type CheckedRecord, CheckPass } from './check-pass';
import { type CheckResult, type Database, type ImportTask, Progress, type Summary } from './import-task';
import { FileError, type SourceRecord } from './source';

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

/** Records per transaction. Each commit writes every index page touched, so a few large commits cost less. */
const BATCH = 25_000;

/** Writes a file's valid records: either those with an id or those without one. Each batch is one transaction. */
class WritePass {
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

/** Writes records with their defaults and folded columns. */
class RecordWriter {
  private readonly defaults: Record<string, ColumnValue>;
  private readonly updateTimes: Record<string, ColumnValue>;

  constructor(
    private readonly collection: RecordColumns,
    private readonly accountId: number,
    private readonly dialect: Dialect,
    now: string,
  ) {
    const defaults = collection.columns.map(({ name, fallback = null }) => [name, fallback === NOW ? now : fallback] as const);
    this.defaults = Object.fromEntries(defaults);
    this.updateTimes = Object.fromEntries(collection.columns.filter(({ isUpdateTime }) => isUpdateTime).map(({ name }) => [name, now]));
  }

  async write(records: CheckedRecord[], manager: EntityManager): Promise<void> {
    const known: CheckedRecord[] = [];
    const fresh: CheckedRecord[] = [];
    const updated: Record<string, CheckedRecord[]> = {}; // by the columns given: an absent one keeps its value
    for (const given of records) {
      const record = given.exists ? { ...given, values: { ...this.updateTimes, ...given.values } } : given;
      const group = record.exists ? (updated[Object.keys(record.values).join()] ??= []) : record.id === undefined ? fresh : known;
      group.push(record);
    }
    await this.insert(known, manager);
    await this.insert(fresh, manager);
    for (const group of Object.values(updated)) {
      const columns = this.withFolded(Object.keys(group[0].values));
      await this.insert(group, manager, this.dialect.upsertClause(this.collection.id.column, columns));
    }
  }

  /** All with an id, or all without. */
  private async insert(records: CheckedRecord[], manager: EntityManager, suffix = ''): Promise<void> {
    if (records.length === 0) return;
    const { name: table, id, columns } = this.collection;
    const key = records[0].id === undefined ? [] : [id.column];
    const names = [...key, 'account_id', ...this.withFolded(columns.map(({ name }) => name))];
    const rows = records.map((record) => this.rowOf(record));
    await this.dialect.insert(manager, table, names, rows, suffix);
  }

  private withFolded(names: string[]): string[] {
    const folded = new Set(this.collection.columns.filter(({ fold }) => fold).map(({ name }) => name));
    return names.flatMap((name) => (folded.has(name) ? [name, `${name}_folded`] : name));
  }

  private rowOf({ id, values }: CheckedRecord): ColumnValue[] {
    const row: ColumnValue[] = id === undefined ? [this.accountId] : [id, this.accountId];
    for (const { name, fold } of this.collection.columns) {
      const value = name in values ? values[name] : this.defaults[name];
      row.push(value);
      if (fold) row.push(fold(String(value)));
    }
    return row;
  }
}
