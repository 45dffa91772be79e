import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dialect } from '../../../src/platform/database/dialect';
import { ServedCollections } from '../../../src/scheduling/collections/served-collections';
import { SchedulingService } from '../../../src/scheduling/scheduling.service';
import { BadRecords } from '../../../src/programs/transfer/output-files';
import { Extensions } from '../../../src/platform/extensions/extensions';
import { encodeRecords, exportRecords } from '../../../src/programs/transfer/export-records';
import type { Format } from '../../../src/programs/transfer/source';
import { importableOf } from '../../../src/programs/transfer/importable';
import { importFile } from '../../../src/programs/transfer/write-pass';
import type { Summary } from '../../../src/programs/transfer/import-task';
import { RecordFile } from '../../../src/programs/transfer/record-file';
import type { TestApplication } from '../http/application';

export interface Imported extends Partial<Summary> {
  /** Lines on standard error. */
  printed: string[];
  /** Content of the file of bad records, if any. */
  badRecords?: string;
  /** Message of a rejected or interrupted import. */
  error?: string;
}

interface Options {
  format?: Format;
  skipBad?: boolean;
  isDryRun?: boolean;
  /** Whether a signal was received. */
  isInterrupted?: () => boolean;
}

function collectionOf(app: INestApplicationContext, name: string) {
  return importableOf(app.get(Extensions)).find((candidate) => candidate.name === name)!;
}

/** Imports a file with this content as the command does, in this process. */
export async function importText(
  { app }: TestApplication,
  accountId: number,
  name: string,
  content: string | Buffer,
  { format = 'csv', skipBad = false, isDryRun = false, isInterrupted = () => false }: Options = {},
): Promise<Imported> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  const file = join(folder, 'file');
  writeFileSync(file, content);
  const printed: string[] = [];
  const standardError = jest.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const collection = collectionOf(app, name);
  const records = await RecordFile.open(file, format, collection);
  const bad = skipBad ? new BadRecords(`${file}.bad`, format) : undefined;
  try {
    const services = { dataSource: app.get(DataSource), dialect: app.get(Dialect) };
    const summary = await importFile({ collection, accountId, records, bad, isDryRun, isInterrupted, ...services });
    return {
      ...summary,
      printed: printed.map((line) => line.trimEnd()),
      badRecords: summary.bad > 0 && bad ? readFileSync(bad.name, 'utf8') : undefined,
    };
  } catch (error) {
    return { printed, error: (error as Error).message };
  } finally {
    standardError.mockRestore();
    await records.close();
    rmSync(folder, { recursive: true });
  }
}

export async function exportText(
  { app }: TestApplication,
  accountId: number,
  name: string,
  format: Format,
  isForExcel = false,
): Promise<string> {
  const collection = collectionOf(app, name);
  const sources = { dialect: app.get(Dialect), scheduling: app.get(SchedulingService), collections: app.get(ServedCollections).list };
  let text = '';
  for await (const part of encodeRecords(exportRecords(collection, accountId, sources), format, collection, isForExcel)) text += part;
  return text;
}
