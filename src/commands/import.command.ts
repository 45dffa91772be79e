import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { DataSource } from 'typeorm';
import type { RecordColumns } from '../common/records';
import { Dialect } from '../database/dialect';
import { badFileName, FileError, type Format, formatOf, FORMATS } from '../transfer/source';
import { RecordFile } from '../transfer/record-file';
import { BadRecords } from '../transfer/output-files';
import { importFile } from '../transfer/write-pass';
import type { Summary } from '../transfer/import-task';
import { collectionArgument } from './arguments';
import { findAccountId, JSON_OPTION, type JsonOption, onInterrupt, printJson, printNotice, withServices } from './action';

interface Options extends JsonOption {
  account: string;
  format?: Format;
  skipBad?: boolean;
  bad?: string;
  dryRun?: boolean;
}

export function importCommand(collections: readonly RecordColumns[]): Command {
  return new Command('import')
    .description('insert or update the records in a file; one bad record rejects the whole file')
    .addArgument(collectionArgument(collections))
    .argument('<file>', 'CSV, NDJSON or a JSON array, optionally gzipped; - is standard input')
    .requiredOption('--account <name>', 'account of the records')
    .addOption(new Option('--format <format>', 'default: from the extension of the file').choices(FORMATS))
    .option('--skip-bad', 'import the good records, and write the bad ones to a file that can be corrected and imported')
    .option('--bad <file>', 'where --skip-bad writes them (default: beside the file, agenda.bad.csv for agenda.csv or agenda.csv.gz)')
    .option('--dry-run', 'check the file without writing to the database')
    .addOption(JSON_OPTION)
    .action(withServices(run));
}

async function run(app: INestApplicationContext, collection: RecordColumns, file: string, options: Options): Promise<void> {
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

function report(summary: Summary, { dryRun, json }: Options, badRecords?: BadRecords): void {
  const { read, inserted, updated, bad } = summary;
  const kept = dryRun || (bad > 0 && !badRecords) ? 'nothing was imported' : `${inserted} inserted, ${updated} updated`;
  const where = badRecords && bad > 0 ? `, written to ${badRecords.name}` : '';
  printNotice(`${read} read, ${kept}, ${bad} bad${where}.`);
  if (json) printJson(summary);
  if (bad > 0) process.exitCode = 1;
}
