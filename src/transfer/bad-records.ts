import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Format } from './format';
import type { SourceRecord } from './source-record';

const FRAMES = {
  csv: { between: '\n', end: '\n' },
  ndjson: { between: '\n', end: '\n' },
  json: { between: ',\n', end: '\n]\n' },
};

/** A file of the records that were refused, as they stood in theirs: mended, it can be imported. It is there once it is whole. */
export class BadRecords {
  private output?: WriteStream;

  constructor(
    readonly name: string,
    private readonly format: Format,
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
    await rename(this.partName, this.name);
  }

  async discard(): Promise<void> {
    if (!this.output) return;
    this.output.destroy();
    await rm(this.partName, { force: true });
  }

  private get partName(): string {
    return `${this.name}.part`;
  }
}
