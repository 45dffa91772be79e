import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { DataSource } from 'typeorm';
import type { RecordColumns } from '../../platform/common/records';
import { Dialect } from '../../platform/database/dialect';
import { badFileName, FileError, type Format, formatOf, FORMATS } from '../transfer/source';
import { RecordFile } from '../transfer/record-file';
import { BadRecords, writeOutput } from '../transfer/output-files';
import { importFile } from '../transfer/write-pass';
import type { Summary } from '../transfer/import-task';
import { importableOf } from '../transfer/importable';
import type { Extensions } from '../../platform/extensions/extensions';
import { collectionArgument } from './arguments';
import { countOf, findAccountId, JSON_OPTION, type JsonOption, onInterrupt, printJson, printNotice, withServices } from './action';
import { ServedCollections } from '../../scheduling/collections/served-collections';
import { SchedulingService } from '../../scheduling/scheduling.service';
import { encodeRecords, exportRecords } from '../transfer/export-records';

interface ImportOptions extends JsonOption {
  account: string;
  format?: Format;
  skipBad?: boolean;
  bad?: string;
  dryRun?: boolean;
}

export function importCommand(extensions: Extensions): Command {
  return new Command('import')
    .addArgument(collectionArgument(importableOf(extensions)))
    .argument('<file>', "CSV, NDJSON or JSON (an array, or a list's answer), optionally gzipped; - is standard input")
    .requiredOption('--account <name>', 'account of the records')
    .addOption(new Option('--format <format>', 'default: from the extension of the file').choices(FORMATS))
    .option('--skip-bad', 'import the good records, and write the bad ones to a file that can be corrected and imported')
    .option(
      '--bad <file>',
      'file for the bad records of --skip-bad (default: next to the input, agenda.bad.csv for agenda.csv or agenda.csv.gz)',
    )
    .option('--dry-run', 'check the file without writing to the database')
    .addOption(JSON_OPTION)
    .action(withServices(importRecords));
}

async function importRecords(app: INestApplicationContext, collection: RecordColumns, file: string, options: ImportOptions): Promise<void> {
  const format = options.format ?? formatOf(file);
  if (!format) throw new FileError(`${file === '-' ? 'Standard input' : file} needs a --format: ${FORMATS.join(', ')}.`);
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
}

function report(summary: Summary, { dryRun, json }: ImportOptions, badRecords?: BadRecords): void {
  const { read, inserted, updated, bad } = summary;
  const kept = dryRun || (bad > 0 && !badRecords) ? 'nothing was imported' : `${inserted} inserted, ${updated} updated`;
  const where = badRecords && bad > 0 ? `, written to ${badRecords.name}` : '';
  printNotice(`${read} read, ${kept}, ${bad} bad${where}.`);
  if (json) printJson(summary);
  if (bad > 0) process.exitCode = 1;
}

interface ExportOptions {
  account: string;
  format?: Format;
  excel?: boolean;
  output?: string;
}

export function exportCommand(extensions: Extensions): Command {
  return new Command('export')
    .addArgument(collectionArgument(importableOf(extensions)))
    .requiredOption('--account <name>', 'account of the records')
    .addOption(new Option('--format <format>', 'default: from the extension of the output file, otherwise csv').choices(FORMATS))
    .option('--excel', 'CSV that Excel opens, with no cell it takes for a formula')
    .option('--output <file>', 'gzipped if it ends in .gz (default: standard output)')
    .action(withServices(writeRecords));
}

async function writeRecords(
  app: INestApplicationContext,
  collection: RecordColumns,
  { account, excel, output, ...options }: ExportOptions,
): Promise<void> {
  const format = options.format ?? formatOf(output ?? '') ?? 'csv';
  if (excel && format !== 'csv') throw new FileError(`--excel writes CSV, not ${format}.`);
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
}
