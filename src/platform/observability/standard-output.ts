import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Clock } from '../common/clock';

/** As much as Docker's non-blocking mode keeps by default. */
const MAX_BUFFERED = 1024 * 1024;
/** PIPE_BUF of Linux: a pipe takes up to this much as a whole or not at all, so the lines of several processes don't mix. */
const MAX_WRITE = 4_096;
/** A write for each line would measurably slow the edge's redirects (bench/HISTORY.md). A full pipe is tried again as soon. */
const INTERVAL_MS = 5;
const MAX_RETRY_MS = 1_000;
const EXIT_RETRIES = 100;
const EXIT_RETRY_MS = 10;

const EMPTY = Buffer.alloc(0);

/**
 * Lines for a standard stream, which wait in a buffer while it is full or has no reader. Lines that don't fit are dropped; once the buffer
 * has been written, a line says how many. sonic-boom can't end: its flushSync() retries every error for ever (4.2.1).
 */
class LineOutput {
  /** Lines, since the process started. */
  dropped = 0;
  /** Lines dropped since the last notice. While there are any, all lines are, so that there is one notice for each gap. */
  private missing = 0;
  private queued = '';
  /** Whole lines, except the first when the stream has taken a part of it. */
  private batch = EMPTY;
  private isWriting = false;
  private delay = INTERVAL_MS;
  private timer?: NodeJS.Timeout;
  private opened?: { fd: number; isFile: boolean };

  constructor(
    private readonly stream: 1 | 2,
    private readonly describeGap: (missing: number) => string,
  ) {}

  write(line: string): void {
    this.open();
    const length = this.queued.length + this.batch.length + line.length;
    if (this.missing > 0 || length > MAX_BUFFERED) {
      this.missing++;
      this.dropped++;
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
    // A disk may hang. A pipe never makes us wait, and its writes must not be under way in a thread when the process ends.
    const batch = this.next();
    if (batch.length === 0) return;
    this.isWriting = true;
    write(fd, batch, (error, count) => {
      this.isWriting = false;
      this.advance(error ? 0 : count);
      if (error) this.retry();
      else this.schedule(); // for lines written meanwhile: at once, it would be a write for each
    });
  }

  /** Writes as much as the stream takes. Returns the error that stopped it. */
  private drain(fd: number): NodeJS.ErrnoException | undefined {
    try {
      for (let batch = this.next(); batch.length > 0; batch = this.next()) this.advance(writeSync(fd, batch, 0, lengthOfWrite(batch)));
      return undefined;
    } catch (error) {
      this.retry();
      return error as NodeJS.ErrnoException;
    }
  }

  private next(): Buffer {
    if (this.batch.length > 0) return this.batch;
    if (this.queued === '' && this.missing > 0) {
      this.queued = this.describeGap(this.missing);
      this.missing = 0;
    }
    this.batch = Buffer.from(this.queued);
    this.queued = '';
    return this.batch;
  }

  private advance(count: number): void {
    this.batch = this.batch.subarray(count);
    if (count > 0) this.delay = INTERVAL_MS;
  }

  private retry(): void {
    this.schedule();
    this.delay = Math.min(this.delay * 2, MAX_RETRY_MS);
  }

  private open(): { fd: number; isFile: boolean } {
    if (this.opened) return this.opened;
    process.once('exit', () => this.end());
    const isFile = fstatSync(this.stream).isFile();
    return (this.opened = { fd: isFile ? this.stream : openNonBlocking(this.stream), isFile });
  }

  /** Waits a second for a reader that is behind. A write to a file in progress is completed by Node before the process ends. */
  private end(): void {
    if (this.isWriting) this.batch = EMPTY;
    const { fd } = this.open();
    for (let left = EXIT_RETRIES; left > 0 && this.drain(fd)?.code === 'EAGAIN'; left--) sleep(EXIT_RETRY_MS);
  }
}

/** Up to the last newline that a single write may contain; a longer line is written as a whole. */
function lengthOfWrite(lines: Buffer): number {
  if (lines.length <= MAX_WRITE) return lines.length;
  return lines.lastIndexOf('\n', MAX_WRITE - 1) + 1 || lines.indexOf('\n') + 1 || lines.length;
}

/** Opens the stream again, because processes that share a descriptor share its O_NONBLOCK, and Node resets that when it ends. */
function openNonBlocking(stream: 1 | 2): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/dev/fd/${stream}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // A socket can't be opened again, nor another user's pipe. Node makes those of process.stdout and process.stderr non-blocking.
    return [process.stdout, process.stderr][stream - 1].fd;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** For the log and everything else that this process prints. */
export const standardOutput = new LineOutput(1, (left_out) => {
  const time = new Date(new Clock().now()).toISOString();
  return `${JSON.stringify({ level: 'warn', time, left_out, msg: 'Lines are missing here: standard output did not take them.' })}\n`;
});

/** For what concerns the operator of the processes. */
export const standardError = new LineOutput(2, (missing) => `frontdesk: ${missing} lines are missing here.\n`);
