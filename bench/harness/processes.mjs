import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, closeSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
const PATIENCE_MILLISECONDS = 15_000;

const children = new Set();
const folders = new Set();

/**
 * Whatever ends the bench ends what it started: a failure, a signal, or its last line. Signals come twice under npm,
 * which passes on what the terminal has sent already; the second must not cut the cleaning short.
 */
process.once('exit', () => {
  for (const child of children) signalGroup(child, 'SIGKILL');
  // With retries: what was killed may still write while it ends.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});
for (const [name, number] of Object.entries(SIGNALS)) process.on(name, () => process.exit(128 + number));

export function temporaryFolder(purpose = 'bench') {
  const folder = mkdtempSync(join(tmpdir(), `frontdesk-${purpose}-`));
  folders.add(folder);
  return folder;
}

/** A process that goes on; what it says goes to the file `log`. */
export function start(command, args, { log, ...options }) {
  const file = openSync(log, 'w');
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', file, file] });
  closeSync(file);
  return tracked(child);
}

/** A process leads a group of its own, `detached`, so that what it has started in turn gets the signal, too. */
export function signalGroup(child, signal) {
  if (child.pid === undefined || hasEnded(child)) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

export function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null;
}

export async function stop(child) {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MILLISECONDS);
  await exited;
  clearTimeout(impatience);
}

/** Runs a process to its end and returns what it printed. @throws Error with what it said, when it fails */
export async function run(command, args, options = {}) {
  const child = tracked(spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
  let output = '';
  let errors = '';
  child.stdout.on('data', (bytes) => (output += bytes));
  child.stderr.on('data', (bytes) => (errors += bytes));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 4).join(' ')} … ended with ${code}:\n${output}${errors}`);
  return output;
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

function tracked(child) {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
