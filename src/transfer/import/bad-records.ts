import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Format } from '../formats/format';
import type { SourceRecord } from '../formats/source-record';

const FRAMES = {
  csv: { between: '\n', end: '\n' },
  ndjson: { between: '\n', end: '\n' },
  json: { between: ',\n', end: '\n]\n' },
};

/** A file of the refused records as they were in theirs, to be mended and imported. It appears once it is complete. */
export class BadRecords {
  private output?: WriteStream;

  /** `name` is where the file is once it is closed; unless it may replace one that exists, that may be `agenda.bad-2.csv`. */
  constructor(
    public name: string,
    private readonly format: Format,
    private readonly mayReplace = false,
  ) {}

  async add({ original }: SourceRecord, header: string | undefined): Promise<void> {
    const { between } = FRAMES[this.format];
    const before = this.output ? between : this.format === 'json' ? '[\n' : header === undefined ? '' : `${header}\n`;
    this.output ??= createWriteStream(this.partName, { mode: 0o600 });
    this.output.write(before);
    if (!this.output.write(typeof original === 'string' ? original.replace(/\r$/, '') : original)) await once(this.output, 'drain');
  }

  async close(): Promise<void> {
    if (!this.output) return;
    this.output.end(FRAMES[this.format].end);
    await finished(this.output);
    const part = this.partName;
    if (!this.mayReplace) this.name = await reserve(this.name);
    await rename(part, this.name);
  }

  async discard(): Promise<void> {
    if (!this.output) return;
    this.output.destroy();
    await rm(this.partName, { force: true });
  }

  private get partName(): string {
    return `${this.name}.${process.pid}.part`;
  }
}

/** Creates an empty file under this name, or the first free one like it: another may hold records that are being mended. */
async function reserve(name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : name.replace(/(\.[a-z]+)?$/, `-${number}$1`);
    try {
      await (await open(candidate, 'wx', 0o600)).close();
      return candidate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
