import { Command, Option } from 'commander';
import type { Extensions } from '../../platform/extensions/extensions';
import { importableOf } from '../transfer/importable';
import { FORMATS } from '../transfer/source';
import { collectionArgument, JSON_OPTION, lazy } from './arguments';

const run = lazy(() => import('./actions/transfer.js'));

export function importCommand(extensions: Extensions): Command {
  return new Command('import')
    .description('insert or update the records in a file; one bad record rejects the whole file')
    .addArgument(collectionArgument(importableOf(extensions)))
    .argument('<file>', 'CSV, NDJSON or JSON (an array, or a list response), optionally gzipped; - is standard input')
    .requiredOption('--account <name>', 'account of the records')
    .addOption(new Option('--format <format>', 'default: from the extension of the file').choices(FORMATS))
    .option('--skip-bad', 'import the good records, and write the bad ones to a file that can be corrected and imported')
    .option(
      '--bad <file>',
      'file for the bad records of --skip-bad (default: next to the input, agenda.bad.csv for agenda.csv or agenda.csv.gz)',
    )
    .option('--dry-run', 'check the file without writing to the database')
    .addOption(JSON_OPTION)
    .action(run('importRecords'));
}

export function exportCommand(extensions: Extensions): Command {
  return new Command('export')
    .description("write an account's records in a format that import reads")
    .addArgument(collectionArgument(importableOf(extensions)))
    .requiredOption('--account <name>', 'account of the records')
    .addOption(new Option('--format <format>', 'default: from the extension of the output file, otherwise csv').choices(FORMATS))
    .option('--excel', 'CSV for Excel, in which no cell is read as a formula')
    .option('--output <file>', 'gzipped if it ends in .gz (default: standard output)')
    .action(run('writeRecords'));
}
