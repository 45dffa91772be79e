import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SharedRuns } from '../../common/concurrency';
import { Dialect, type SqlExecutor } from '../dialect';
import { ANY_ACCOUNT, countChanges } from '../lists/list-changes';
import { inList } from '../value-lists';
import { WriteExecutor } from '../writes/transactions';

/** Length of an epoch's name. Names are random, because they are part of event ids, which must differ between databases. */
const EPOCH_BYTES = 5;
/** Rows numbered per transaction, to keep locks short. */
const ROWS_PER_BATCH = 500;
const READ_STATE = `SELECT last, floor, secret, (SELECT name FROM event_epochs ORDER BY start DESC LIMIT 1),
  EXISTS (SELECT 1 FROM events WHERE number IS NULL) FROM event_log WHERE id = 1`;
/** Reads without a lock, so it skips rows that other transactions have not committed. */
const FIND_UNNUMBERED = `SELECT id FROM events WHERE number IS NULL ORDER BY id LIMIT ${ROWS_PER_BATCH}`;

/** The log's bounds and current epoch, and the key that signs its cursors. */
export interface LogState {
  /** The last number assigned. */
  last: number;
  /** Events up to this number are too old for the feed. */
  floor: number;
  epoch: string;
  secret: string;
}

interface Epoch {
  name: string;
  /** The epoch's first number. */
  start: number;
}

/**
 * Numbers events in commit order, a batch at a time. Ids can't serve as positions: they are assigned before the commit, so a reader of
 * ascending ids would miss events committed after others with greater ids. The rows of a batch share a number and are ordered by id: a
 * record's rows are inserted while the record is locked, so their ids ascend in commit order.
 */
@Injectable()
export class EventNumbers {
  private epochs: Epoch[] = [];
  /** The greatest number that is certain to survive a crash of the database. */
  private lastDurable = 0;
  /** The greatest number read. */
  private lastRead = 0;
  private readonly flushes = new SharedRuns<void>();

  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /** Numbers committed events, and returns the state. Stops at the first batch that isn't full, so it ends under constant writes, too. */
  async numberEvents(): Promise<LogState> {
    const { hasUnnumbered, ...state } = await this.read();
    for (let size = hasUnnumbered ? ROWS_PER_BATCH : 0; size === ROWS_PER_BATCH;) {
      ({ size, last: state.last } = await this.executor.run((statements) => this.numberBatch(statements)));
      if (size > 0) this.lastDurable = Math.max(this.lastDurable, state.last);
    }
    if (state.last > this.lastDurable && this.dialect.exposesUnflushedCommits) await this.makeDurable(state.last);
    return state;
  }

  /**
   * InnoDB shows a commit before its log is flushed, so numbers that another process has just assigned may be lost in a crash, and then be
   * assigned to other events, which a reader's cursor would skip. A commit here also flushes that process's commit.
   */
  private async makeDurable(last: number): Promise<void> {
    this.lastRead = Math.max(this.lastRead, last);
    await this.flushes.run('', async () => {
      const { lastRead } = this;
      if (lastRead <= this.lastDurable) return;
      await this.executor.run((statements) => countChanges(this.dialect, statements, ANY_ACCOUNT, { event_log: { updated: 1 } }));
      this.lastDurable = Math.max(this.lastDurable, lastRead);
    });
  }

  /**
   * Begins an epoch, which expires every cursor: after a backup is restored, the numbers and ids issued since the backup will be issued
   * again, for other events. Returns the epoch's first number.
   */
  async beginEpoch(): Promise<number> {
    await this.numberEvents();
    return this.executor.run(async (statements) => {
      const start = (await this.lockLast(statements)) + 1;
      await statements.write('INSERT INTO event_epochs (name, start) VALUES (?, ?)', [randomBytes(EPOCH_BYTES).toString('hex'), start]);
      await statements.write('UPDATE event_log SET last = ? WHERE id = 1', [start]); // uses up the number, so that no two epochs start at the same one
      return start;
    });
  }

  /** Epochs up to the current one, ordered by their first number. */
  async findEpochs({ epoch }: LogState): Promise<readonly Epoch[]> {
    if (this.epochs.at(-1)?.name !== epoch) {
      const rows = await this.dialect.read<[name: string, start: number]>('SELECT name, start FROM event_epochs ORDER BY start', []);
      this.epochs = rows.map(([name, start]) => ({ name, start }));
    }
    return this.epochs;
  }

  private async read(): Promise<LogState & { hasUnnumbered: boolean }> {
    const [row] = await this.dialect.readAcknowledged<[last: number, floor: number, secret: string, epoch: string, hasUnnumbered: number]>(
      READ_STATE,
      [],
    );
    const [last, floor, secret, epoch, hasUnnumbered] = row;
    return { last, floor, secret, epoch, hasUnnumbered: hasUnnumbered === 1 };
  }

  /** Assigns the next number to a batch of rows. Locks the log's state, so that numbers follow commit order. */
  private async numberBatch(statements: SqlExecutor): Promise<{ last: number; size: number }> {
    const last = await this.lockLast(statements);
    const rows = await statements.read<[id: number]>(FIND_UNNUMBERED, []);
    if (rows.length === 0) return { last, size: 0 };
    const ids = inList(rows.flat());
    await statements.write(`UPDATE events SET number = ? WHERE id IN ${ids.sql}`, [last + 1, ...ids.values]);
    await statements.write('UPDATE event_log SET last = ? WHERE id = 1', [last + 1]);
    return { last: last + 1, size: rows.length };
  }

  private async lockLast(statements: SqlExecutor): Promise<number> {
    const lock = `SELECT last FROM event_log WHERE id = 1${this.dialect.sql.forUpdate}`;
    const [[last]] = await statements.read<[last: number]>(lock, []);
    return last;
  }
}
