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
const cleanups = new Set();

/**
 * Ends a run's processes with it, however it ends (failure, signal, last line). Signals arrive twice under npm,
 * which forwards what the terminal has already sent; the second must not interrupt the cleanup.
 */
process.once('exit', () => {
  for (const child of children) {
    signalGroup(child, 'SIGKILL');
    child.kill('SIGKILL'); // not a group leader
  }
  for (const clean of cleanups) clean();
  // Retries: killed processes may still write while they exit.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});
for (const [name, number] of Object.entries(SIGNALS)) process.on(name, () => process.exit(128 + number));

export function temporaryFolder(purpose = 'bench', parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, `frontdesk-${purpose}-`));
  folders.add(folder);
  return folder;
}

/** Registers synchronous cleanup, run after all processes are stopped and before folders are removed. */
export function atEnd(clean) {
  cleanups.add(clean);
}

/** Starts a background process; its output goes to the file `log`. */
export function start(command, args, { log, ...options }) {
  const file = openSync(log, 'w');
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', file, file] });
  closeSync(file);
  return track(child);
}

/** Each process leads its own group (`detached`), so its children get the signal, too. */
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

/** Runs a process to its end and returns its output. @throws Error with the output if it fails */
export async function run(command, args, options = {}) {
  const child = track(spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
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

/** Kills the process at the latest when this one exits. */
export function track(child) {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
