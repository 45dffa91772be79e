import pino from 'pino';

/** A pipe takes up to 4,096 bytes in one piece, not mixed with the main thread's lines; a line has at most 400. */
const BATCH_BYTES = 3_600;
const FLUSH_INTERVAL_MS = 100;

/** Standard output, in batches: a write for each line costs a third of a redirect's time (bench/RESULTS.md). */
export function batchedOutput(): ReturnType<typeof pino.destination> {
  const output = pino.destination({ fd: 1, sync: true, minLength: BATCH_BYTES, periodicFlush: FLUSH_INTERVAL_MS });
  process.once('exit', () => output.flushSync()); // of this thread
  return output;
}
