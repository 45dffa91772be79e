import type { DestinationStream } from 'pino';
import { standardOutput } from '../../observability/logging';

/** A pipe takes up to 4,096 bytes in one piece, not mixed with the main thread's lines; a line has at most 400. */
const BATCH_LENGTH = 3_600;
const FLUSH_INTERVAL_MS = 100;

/** Standard output, in batches: a write for each line is a noticeable part of a redirect's time (bench/HISTORY.md). */
export function batchedOutput(): DestinationStream {
  const output = standardOutput();
  let lines = '';
  const flush = () => {
    if (lines !== '') output.write(lines);
    lines = '';
  };
  setInterval(flush, FLUSH_INTERVAL_MS);
  process.once('exit', flush); // of this thread
  return {
    write(line) {
      lines += line;
      if (lines.length >= BATCH_LENGTH) flush();
    },
  };
}
