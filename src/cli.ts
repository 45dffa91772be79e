#!/usr/bin/env node
import { runCommandLine } from './programs/commands/command-line';

const EXIT_GRACE_MS = 1_000;
/** The shell's status for a program that SIGPIPE has ended. */
const BROKEN_PIPE_STATUS = 141;

/** A command ends when its reader does, as with `| head`; `start` goes on. */
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.stderr.write(`frontdesk: standard output: ${message}\n`);
  process.exit(code === 'EPIPE' ? BROKEN_PIPE_STATUS : 1);
});
process.stderr.on('error', () => undefined);

void runCommandLine(process.argv).then(() => {
  // exit() would keep libsql from closing the database, on which SQLite empties its log into the file if no other process uses it.
  // The timeout is for a process that an extension's timer or socket keeps alive.
  process.stdout.write('', () => setTimeout(() => process.exit(), EXIT_GRACE_MS).unref());
});
