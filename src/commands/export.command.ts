import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { AccountsService } from '../auth/accounts/accounts.service';
import type { RecordColumns } from '../common/records';
import { Dialect } from '../database/dialect';
import { SchedulingService } from '../scheduling/scheduling.service';
import { encodeRecords, exportRecords } from '../transfer/export-records';
import { writeOutput } from '../transfer/output-files';
import { type Format, formatOf, FORMATS } from '../transfer/source';
import { collectionArgument } from './arguments';
import { printNotice, withServices } from './action';

interface Options {
  account: string;
  format?: Format;
  output?: string;
}

export function exportCommand(): Command {
  return new Command('export')
    .description("write an account's records in a format that import reads")
    .addArgument(collectionArgument())
    .requiredOption('--account <name>', 'account of the records')
    .addOption(new Option('--format <format>', 'default: from the extension of the output file, otherwise csv').choices(FORMATS))
    .option('--output <file>', 'gzipped if it ends in .gz (default: standard output)')
    .action(withServices(run));
}

async function run(app: INestApplicationContext, collection: RecordColumns, { account: name, format, output }: Options): Promise<void> {
  const account = await app.get(AccountsService).findByName(name);
  const sources = { dialect: app.get(Dialect), scheduling: app.get(SchedulingService) };
  let count = 0;
  async function* counted() {
    for await (const rows of exportRecords(collection, account.id, sources)) {
      count += rows.length;
      yield rows;
    }
  }
  try {
    await writeOutput(encodeRecords(counted(), format ?? formatOf(output ?? '') ?? 'csv', collection), output);
    printNotice(`Exported ${count} ${count === 1 ? 'record' : 'records'}.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    process.exitCode = 1; // the reader of the pipe is gone
  }
}
