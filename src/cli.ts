#!/usr/bin/env node
import { runCommandLine } from './programs/commands/command-line';

const EXIT_GRACE_MS = 1_000;
/** Exit status that shells report for a program ended by SIGPIPE. */
const BROKEN_PIPE_STATUS = 141;

/** A command exits when the reader of its output does, as with `| head`; `start` keeps running. */
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.stderr.write(`frontdesk: standard output: ${message}\n`);
  process.exit(code === 'EPIPE' ? BROKEN_PIPE_STATUS : 1);
});
process.stderr.on('error', () => undefined);

void runCommandLine(process.argv).then(() => {
  // An immediate exit() would keep libsql from closing the database, which checkpoints the WAL if no other process uses it.
  // The timeout is for a process that an extension's timer or socket keeps alive.
  process.stdout.write('', () => setTimeout(() => process.exit(), EXIT_GRACE_MS).unref());
});
