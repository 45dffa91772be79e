import { runCommandLine } from './commands/command-line';

const GRACE_MS = 1_000;

void runCommandLine(process.argv).then(() => {
  // Unlike exit(), ending by itself lets libsql close the database, and SQLite empty its log into the file if no other process uses it.
  // An extension's timer or socket may prevent that.
  process.stdout.write('', () => setTimeout(() => process.exit(), GRACE_MS).unref());
});
