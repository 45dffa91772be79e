#!/usr/bin/env node
import { runCommandLine } from './commands/command-line';

const GRACE_MS = 1_000;

void runCommandLine(process.argv).then(() => {
  // Without exit(), libsql closes the database, and SQLite empties its log into the file if no other process uses it.
  // The timeout is for an extension's timer or socket that keeps the process alive.
  process.stdout.write('', () => setTimeout(() => process.exit(), GRACE_MS).unref());
});
