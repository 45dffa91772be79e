import { DataSource } from 'typeorm';
import type { RecordColumns } from '../../../platform/common/records';
import { Dialect } from '../../../platform/database/dialect';
import { ServedCollections } from '../../../scheduling/collections/served-collections';
import { SchedulingService } from '../../../scheduling/scheduling.service';
import { encodeRecords, exportRecords } from '../../transfer/export-records';
import type { Summary } from '../../transfer/import-task';
import { BadRecords, writeOutput } from '../../transfer/output-files';
import { RecordFile } from '../../transfer/record-file';
import { badFileName, TransferError, type Format, formatOf, FORMATS } from '../../transfer/source';
import { importFile } from '../../transfer/write-pass';
import type { JsonOption } from '../arguments';
import { countOf, onInterrupt, printJson, printNotice } from './output';
import { findAccountId, withServices } from './with-services';

interface ImportOptions extends JsonOption {
  account: string;
  format?: Format;
  skipBad?: boolean;
  bad?: string;
  dryRun?: boolean;
}

export const importRecords = withServices(async (app, collection: RecordColumns, file: string, options: ImportOptions) => {
  const format = options.format ?? formatOf(file);
  if (!format) throw new TransferError(`${file === '-' ? 'Standard input' : file} needs a --format: ${FORMATS.join(', ')}.`);
  const accountId = await findAccountId(app, options.account);
  const records = await RecordFile.open(file, format, collection);
  let isInterrupted = false;
  const ignoreInterrupt = onInterrupt(() => (isInterrupted = true));
  try {
    const name = options.bad ?? badFileName(file === '-' ? collection.name : file, format);
    const bad = options.skipBad && !options.dryRun ? new BadRecords(name, format, options.bad !== undefined) : undefined;
    const flags = { isDryRun: options.dryRun, isInterrupted: () => isInterrupted };
    const services = { dataSource: app.get(DataSource), dialect: app.get(Dialect) };
    report(await importFile({ collection, accountId, records, bad, ...flags, ...services }), options, bad);
  } finally {
    ignoreInterrupt();
    await records.close();
  }
});

function report(summary: Summary, { dryRun, json }: ImportOptions, badRecords?: BadRecords): void {
  const { read, inserted, updated, bad } = summary;
  const result = dryRun || (bad > 0 && !badRecords) ? 'nothing was imported' : `${inserted} inserted, ${updated} updated`;
  const destination = badRecords && bad > 0 ? `, written to ${badRecords.name}` : '';
  printNotice(`${read} read, ${result}, ${bad} bad${destination}.`);
  if (json) printJson(summary);
  if (bad > 0) process.exitCode = 1;
}

interface ExportOptions {
  account: string;
  format?: Format;
  excel?: boolean;
  output?: string;
}

export const writeRecords = withServices(async (app, collection: RecordColumns, { account, excel, output, ...options }: ExportOptions) => {
  const format = options.format ?? formatOf(output ?? '') ?? 'csv';
  if (excel && format !== 'csv') throw new TransferError(`--excel writes CSV, not ${format}.`);
  const accountId = await findAccountId(app, account);
  const sources = { dialect: app.get(Dialect), scheduling: app.get(SchedulingService), collections: app.get(ServedCollections).list };
  let count = 0;
  async function* counted() {
    for await (const rows of exportRecords(collection, accountId, sources)) {
      count += rows.length;
      yield rows;
    }
  }
  await writeOutput(encodeRecords(counted(), format, collection, excel), output);
  printNotice(`Exported ${countOf(count, 'record')}.`);
});
