import { Argument, Command, Option } from 'commander';
import { DataSource } from 'typeorm';
import { AccountsService } from '../auth/accounts/accounts.service';
import { Dialect } from '../database/dialect';
import { Transactions } from '../database/writes/transactions';
import { BadRecords } from '../transfer/import/bad-records';
import { TRANSFERABLE } from '../transfer/collections';
import { FileError } from '../transfer/file-error';
import { badNameOf, type Format, formatOf, FORMATS } from '../transfer/formats/format';
import { importFile } from '../transfer/import/import-file';
import type { Summary } from '../transfer/import/import-task';
import { InputFile } from '../transfer/import/input-file';
import { Interruption } from '../transfer/import/interruption';
import { FileRecords } from '../transfer/formats/record-file';

import { JSON_OPTION, printNotice } from './output';
import { withServices } from './with-services';

interface Options {
  account: string;
  format?: Format;
  skipBad?: boolean;
  bad?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function importCommand(): Command {
  const names = TRANSFERABLE.map(({ name }) => name);
  return new Command('import')
    .description('insert or update the records of a file; when any is bad, nothing is kept')
    .addArgument(new Argument('<collection>', 'what the records are').choices(names))
    .argument('<file>', 'CSV, NDJSON or a JSON array, gzip or not; - is standard input')
    .requiredOption('--account <name>', 'account that the records belong to')
    .addOption(new Option('--format <format>', 'default: by the ending of the file').choices(FORMATS))
    .option('--skip-bad', 'keep the good records, and write the bad ones to a file that can be mended and imported')
    .option('--bad <file>', 'where --skip-bad writes them (default: beside the file, agenda.bad.csv for agenda.csv or agenda.csv.gz)')
    .option('--dry-run', 'check the file, and write nothing')
    .addOption(JSON_OPTION)
    .action(run);
}

function run(name: string, file: string, options: Options): Promise<void> {
  const format = options.format ?? formatOf(file);
  if (!format) throw new FileError(`${file === '-' ? 'Standard input' : file} needs a --format: ${FORMATS.join(', ')}.`);
  const collection = TRANSFERABLE.find((candidate) => candidate.name === name)!;
  return withServices(async (app) => {
    const account = await app.get(AccountsService).findByName(options.account);
    const input = await InputFile.open(file);
    const interruption = new Interruption();
    try {
      const bad = options.skipBad && !options.dryRun ? badRecords(file === '-' ? name : file, format, options.bad) : undefined;
      const records = new FileRecords(input, format, collection);
      const task = { collection, accountId: account.id, records, share: () => input.share, bad, isDryRun: options.dryRun };
      const database = { dataSource: app.get(DataSource), dialect: app.get(Dialect), transactions: app.get(Transactions) };
      report(await importFile(task, database, () => interruption.isAsked), options, bad);
    } finally {
      interruption.release();
      await input.close();
    }
  });
}

function badRecords(file: string, format: Format, name?: string): BadRecords {
  return name === undefined ? new BadRecords(badNameOf(file, format), format) : new BadRecords(name, format, true);
}

function report(summary: Summary, { dryRun, json }: Options, bad?: BadRecords): void {
  const { read, inserted, updated } = summary;
  const kept = dryRun || (summary.bad > 0 && !bad) ? 'nothing is kept' : `${inserted} inserted, ${updated} updated`;
  const where = bad && summary.bad > 0 ? `, written to ${bad.name}` : '';
  printNotice(`${read} read, ${kept}, ${summary.bad} bad${where}.`);
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  if (summary.bad > 0) process.exitCode = 1;
}
