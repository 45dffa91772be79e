import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Format } from '../formats/format';
import type { SourceRecord } from '../formats/source-record';
import { createPart, type PartFile } from '../part-file';

/** A file of the rejected records, verbatim, to be corrected and imported. It appears once complete. */
export class BadRecords {
  private part?: PartFile;

  /** If the file exists and may not be replaced, `agenda.bad.csv` becomes `agenda.bad-2.csv`. */
  constructor(
    public name: string,
    private readonly format: Format,
    private readonly mayReplace = false,
  ) {}

  async add({ original }: SourceRecord, header: string | undefined): Promise<void> {
    const start = this.format === 'json' ? '[\n' : header === undefined ? '' : `${header}\n`;
    const separator = this.format === 'json' ? ',\n' : '\n';
    const prefix = this.part ? separator : start;
    this.part ??= await createPart(this.name);
    const { output } = this.part;
    output.write(prefix);
    if (!output.write(typeof original === 'string' ? original.replace(/\r$/, '') : original)) await once(output, 'drain');
  }

  async close(): Promise<void> {
    if (!this.part) return;
    const { path, output } = this.part;
    output.end(this.format === 'json' ? '\n]\n' : '\n');
    await finished(output);
    if (!this.mayReplace) this.name = await reserve(this.name);
    await rename(path, this.name);
  }

  async discard(): Promise<void> {
    if (!this.part) return;
    this.part.output.destroy();
    await rm(this.part.path, { force: true });
  }
}

/** Creates an empty file of this name or the next free one: an existing file may hold records being corrected. */
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
