import { Argument, Command, Option } from 'commander';
import { Dialect } from '../database/dialect';
import { AccountsService } from '../auth/accounts/accounts.service';
import { SchedulingService } from '../scheduling/scheduling.service';
import { TRANSFERABLE } from '../transfer/collections';
import { encodeRecords } from '../transfer/export/encode-records';
import { exportRecords } from '../transfer/export/export-records';
import { type Format, formatOf, FORMATS } from '../transfer/formats/format';
import { writeOutput } from '../transfer/export/output-file';
import { printNotice } from './output';
import { withServices } from './with-services';

interface Options {
  account: string;
  format?: Format;
  output?: string;
}

export function exportCommand(): Command {
  const names = TRANSFERABLE.map(({ name }) => name);
  return new Command('export')
    .description('write the records of an account as import takes them')
    .addArgument(new Argument('<collection>', 'what the records are').choices(names))
    .requiredOption('--account <name>', 'account that the records belong to')
    .addOption(new Option('--format <format>', 'default: by the ending of the output, else csv').choices(FORMATS))
    .option('--output <file>', 'gzip when it ends in .gz (default: standard output)')
    .action(run);
}

function run(name: string, { account: accountName, format, output }: Options): Promise<void> {
  const collection = TRANSFERABLE.find((candidate) => candidate.name === name)!;
  return withServices(async (app) => {
    const account = await app.get(AccountsService).findByName(accountName);
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
      printNotice(`${count} records.`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
      process.exitCode = 1; // who reads has had enough
    }
  });
}
