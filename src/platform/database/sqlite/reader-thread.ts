import { parentPort, workerData } from 'node:worker_threads';
import Libsql from 'libsql';
import { IntegerQueue } from '../../common/integer-queue';

// Entry point of a thread that reads the database, one query at a time. Terminating it during a query makes libsql abort the process.

export interface ThreadQuery {
  sql: string;
  /** Must not contain booleans: libsql would abort the process. */
  values: readonly unknown[];
  shape: 'rows' | 'integers';
}

/** For the shape `integers`, `rows` is an Int32Array. */
export type ThreadResult = { rows: unknown } | { error: { message: string; code?: string } };

/** Another process's checkpoint may briefly lock out readers; waiting blocks only this thread. */
const BUSY_TIMEOUT_MS = 5_000;

const database = new Libsql(workerData as string);
database.pragma('query_only = ON');
database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);

parentPort!.on('message', (query: ThreadQuery | 'end') => {
  if (query !== 'end') return answer(query);
  database.close();
  parentPort!.close();
});

function answer(query: ThreadQuery): void {
  try {
    parentPort!.postMessage({ rows: read(query) } satisfies ThreadResult);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    parentPort!.postMessage({ error: { message, code } } satisfies ThreadResult);
  }
}

function read({ sql, values, shape }: ThreadQuery): unknown {
  const statement = database.prepare(sql).raw(true);
  if (shape === 'rows') return statement.all(values);
  const integers = new IntegerQueue();
  for (const [integer] of statement.iterate(values) as Iterable<[number]>) integers.add(integer);
  return integers.toArray();
}
