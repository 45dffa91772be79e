import { Injectable } from '@nestjs/common';
import { DataSource, type EntityMetadata } from 'typeorm';
import { fold } from '../../common/fold-text';
import { DAY_MS } from '../../common/time';
import { Job } from '../../jobs/job.decorator';
import { Dialect, type SqlExecutor } from '../dialect';
import { countChanges } from '../lists/list-changes';
import { WriteExecutor, yieldToWriters } from '../writes/transactions';
import { FOLDED } from './record-table';

/** Records per batch; the embedded database reads them in a few milliseconds. */
const BATCH = 1_000;

interface FoldedTable {
  table: string;
  id: string;
  /** Columns that have a folded copy. */
  texts: string[];
}

/** Each text is followed by its folded copy. */
type Row = [id: number, accountId: number, ...texts: (string | null)[]];

/** Folds texts written during an upgrade by processes of an older version, which doesn't know the folded columns. */
@Injectable()
export class FoldedRepair {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
  ) {}

  /** Returns the number of repaired records. */
  @Job({ name: 'folded-texts', everyMs: DAY_MS, atStart: true, isRepair: true })
  async run(signal: AbortSignal): Promise<number> {
    let repaired = 0;
    for (const table of this.dataSource.entityMetadatas.map(toFoldedTable)) {
      for (let last: number | undefined = 0; last !== undefined && table.texts.length > 0;) {
        signal.throwIfAborted();
        const rows: Row[] = await this.readBatch(table, last);
        repaired += await this.repair(table, rows.filter(isWrong));
        last = rows.length < BATCH ? undefined : rows[rows.length - 1][0];
        await yieldToWriters();
      }
    }
    return repaired;
  }

  private readBatch({ table, id, texts }: FoldedTable, last: number): Promise<Row[]> {
    const columns = [id, 'account_id', ...texts.flatMap((text) => [text, text + FOLDED])];
    return this.dialect.read<Row>(`SELECT ${columns.join(', ')} FROM ${table} WHERE ${id} > ? ORDER BY ${id} LIMIT ${BATCH}`, [last]);
  }

  private async repair(table: FoldedTable, rows: readonly Row[]): Promise<number> {
    if (rows.length === 0) return 0;
    return this.executor.run(async (statements) => {
      let repaired = 0;
      for (const row of rows) if (await update(statements, table, row)) repaired++;
      const accounts = new Set(rows.map(([, accountId]) => accountId));
      for (const accountId of accounts) await countChanges(this.dialect, statements, accountId, { [table.table]: { uncounted: 1 } });
      return repaired;
    });
  }
}

function toFoldedTable({ tableName: table, columns, primaryColumns }: EntityMetadata): FoldedTable {
  const folded = columns.filter(({ databaseName }) => databaseName.endsWith(FOLDED));
  return { table, id: primaryColumns[0].databaseName, texts: folded.map(({ databaseName }) => databaseName.slice(0, -FOLDED.length)) };
}

function isWrong([, , ...texts]: Row): boolean {
  return texts.some((text, index) => index % 2 === 0 && texts[index + 1] !== fold(text ?? ''));
}

/** Returns false if the record has changed since: a process of this version has then folded it. */
async function update(statements: SqlExecutor, { table, id, texts }: FoldedTable, row: Row): Promise<boolean> {
  const originals = texts.map((_, index) => String(row[2 + 2 * index] ?? ''));
  const assignments = texts.map((text) => `${text}${FOLDED} = ?`).join(', ');
  const unchanged = texts.map((text) => ` AND COALESCE(${text}, '') = ?`).join('');
  const sql = `UPDATE ${table} SET ${assignments} WHERE ${id} = ?${unchanged}`;
  const { affected } = await statements.write(sql, [...originals.map(fold), row[0], ...originals]);
  return affected > 0;
}
