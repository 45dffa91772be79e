import { runCommandLine } from './commands/command-line';

void runCommandLine(process.argv);
