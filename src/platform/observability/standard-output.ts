import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Clock } from '../common/clock';

/** Docker's non-blocking log driver buffers the same amount by default. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** PIPE_BUF of Linux: a pipe takes up to this much as a whole or not at all, so the lines of several processes don't mix. */
const MAX_WRITE_BYTES = 4_096;
/** Lines are written together, because a write per line measurably slows the edge's redirects (bench/HISTORY.md). Also the first retry delay. */
const FLUSH_INTERVAL_MS = 5;
const MAX_RETRY_MS = 1_000;
const EXIT_RETRIES = 100;
const EXIT_RETRY_MS = 10;

const EMPTY = Buffer.alloc(0);

/**
 * Writes lines to a standard stream, and buffers them while the stream is full or has no reader. Lines that don't fit are dropped; once the
 * buffer has been written, a notice says how many. With sonic-boom, the process might never exit: flushSync() retries every error (4.2.1).
 */
class LineOutput {
  /** Lines dropped since the process started. */
  droppedCount = 0;
  /** Lines dropped since the last notice. Once one is dropped, so are all others until the next notice, so that each gap has one. */
  private missingCount = 0;
  private queued = '';
  /** Bytes being written: whole lines, except the first if a part of it has been written. */
  private batch = EMPTY;
  private isWriting = false;
  private delay = FLUSH_INTERVAL_MS;
  private timer?: NodeJS.Timeout;
  private destination?: { fd: number; isFile: boolean };

  constructor(
    private readonly stream: 1 | 2,
    private readonly describeGap: (missing: number) => string,
  ) {}

  write(line: string): void {
    this.open();
    const length = this.queued.length + this.batch.length + line.length;
    if (this.missingCount > 0 || length > MAX_BUFFERED_BYTES) {
      this.missingCount++;
      this.droppedCount++;
      return;
    }
    this.queued += line;
    this.schedule();
  }

  private schedule(): void {
    if (!this.isWriting) this.timer ??= setTimeout(() => this.flush(), this.delay).unref();
  }

  private flush(): void {
    this.timer = undefined;
    const { fd, isFile } = this.open();
    if (!isFile) return void this.drain(fd);
    // Asynchronous, because a disk may hang. A pipe never blocks, and no write to it may be in progress in a thread when the process ends.
    const batch = this.nextBatch();
    if (batch.length === 0) return;
    this.isWriting = true;
    write(fd, batch, (error, count) => {
      this.isWriting = false;
      this.consume(error ? 0 : count);
      if (error) this.retry();
      else this.schedule(); // for lines added meanwhile; after a delay, so that they share a write
    });
  }

  /** Writes as much as the stream takes. Returns the error that stopped it. */
  private drain(fd: number): NodeJS.ErrnoException | undefined {
    try {
      for (let batch = this.nextBatch(); batch.length > 0; batch = this.nextBatch())
        this.consume(writeSync(fd, batch, 0, lengthOfWrite(batch)));
      return undefined;
    } catch (error) {
      this.retry();
      return error as NodeJS.ErrnoException;
    }
  }

  private nextBatch(): Buffer {
    if (this.batch.length > 0) return this.batch;
    if (this.queued === '' && this.missingCount > 0) {
      this.queued = this.describeGap(this.missingCount);
      this.missingCount = 0;
    }
    this.batch = Buffer.from(this.queued);
    this.queued = '';
    return this.batch;
  }

  private consume(count: number): void {
    this.batch = this.batch.subarray(count);
    if (count > 0) this.delay = FLUSH_INTERVAL_MS;
  }

  private retry(): void {
    this.schedule();
    this.delay = Math.min(this.delay * 2, MAX_RETRY_MS);
  }

  private open(): { fd: number; isFile: boolean } {
    if (this.destination) return this.destination;
    process.once('exit', () => this.flushOnExit());
    const isFile = fstatSync(this.stream).isFile();
    return (this.destination = { fd: isFile ? this.stream : openNonBlocking(this.stream), isFile });
  }

  /** Waits up to a second for a slow reader. Node itself completes a file write that is in progress. */
  private flushOnExit(): void {
    if (this.isWriting) this.batch = EMPTY;
    const { fd } = this.open();
    for (let left = EXIT_RETRIES; left > 0 && this.drain(fd)?.code === 'EAGAIN'; left--) sleep(EXIT_RETRY_MS);
  }
}

/** The bytes to write at once: as many whole lines as fit into MAX_WRITE_BYTES, or one line if it is longer. */
function lengthOfWrite(lines: Buffer): number {
  if (lines.length <= MAX_WRITE_BYTES) return lines.length;
  return lines.lastIndexOf('\n', MAX_WRITE_BYTES - 1) + 1 || lines.indexOf('\n') + 1 || lines.length;
}

/** Opens the stream again, because processes that share a descriptor share its O_NONBLOCK, and Node resets that when it ends. */
function openNonBlocking(stream: 1 | 2): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/dev/fd/${stream}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Neither a socket nor another user's pipe can be reopened. Node makes them non-blocking for process.stdout and process.stderr.
    return [process.stdout, process.stderr][stream - 1].fd;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Carries the log and everything else that this process prints. */
export const standardOutput = new LineOutput(1, (left_out) => {
  const time = new Date(new Clock().now()).toISOString();
  return `${JSON.stringify({ level: 'warn', time, left_out, msg: 'Lines are missing here: standard output did not take them.' })}\n`;
});

/** Carries messages to the operator, outside the log. */
export const standardError = new LineOutput(2, (missing) => `frontdesk: ${missing} lines are missing here.\n`);
