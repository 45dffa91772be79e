#!/usr/bin/env node
import { runCommandLine } from './programs/commands/command-line';

const GRACE_MS = 1_000;

void runCommandLine(process.argv).then(() => {
  // exit() would keep libsql from closing the database, on which SQLite empties its log into the file if no other process uses it.
  // The timeout is for a process that an extension's timer or socket keeps alive.
  process.stdout.write('', () => setTimeout(() => process.exit(), GRACE_MS).unref());
});
