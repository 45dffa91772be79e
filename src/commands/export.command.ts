import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import type { RecordColumns } from '../common/records';
import { Dialect } from '../database/dialect';
import { Extensions } from '../extensions/extensions';
import { SchedulingService } from '../scheduling/scheduling.service';
import { encodeRecords, exportRecords } from '../transfer/export-records';
import { writeOutput } from '../transfer/output-files';
import { type Format, formatOf, FORMATS } from '../transfer/source';
import { collectionArgument } from './arguments';
import { countOf, findAccountId, printNotice, withServices } from './action';

interface Options {
  account: string;
  format?: Format;
  output?: string;
}

export function exportCommand(collections: readonly RecordColumns[]): Command {
  return new Command('export')
    .description("write an account's records in a format that import reads")
    .addArgument(collectionArgument(collections))
    .requiredOption('--account <name>', 'account of the records')
    .addOption(new Option('--format <format>', 'default: from the extension of the output file, otherwise csv').choices(FORMATS))
    .option('--output <file>', 'gzipped if it ends in .gz (default: standard output)')
    .action(withServices(run));
}

async function run(app: INestApplicationContext, collection: RecordColumns, { account, format, output }: Options): Promise<void> {
  const accountId = await findAccountId(app, account);
  const sources = { dialect: app.get(Dialect), scheduling: app.get(SchedulingService), collections: app.get(Extensions).collections };
  let count = 0;
  async function* counted() {
    for await (const rows of exportRecords(collection, accountId, sources)) {
      count += rows.length;
      yield rows;
    }
  }
  try {
    await writeOutput(encodeRecords(counted(), format ?? formatOf(output ?? '') ?? 'csv', collection), output);
    printNotice(`Exported ${countOf(count, 'record')}.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    process.exitCode = 1; // the reader of the pipe is gone
  }
}
