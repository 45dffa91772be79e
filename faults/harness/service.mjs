import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { built } from '../../bench/harness/paths.mjs';
import { start, track } from '../../bench/harness/processes.mjs';
import { Client } from './client.mjs';

const START_MILLISECONDS = 90_000;
/** Unfinished requests are dropped within this time. */
const LINGER_MILLISECONDS = 2_000;

/** The environment of a service that writes its memory usage to this file. */
export const liveMemoryIn = (file) => ({
  NODE_OPTIONS: `--require ${fileURLToPath(new URL('live-memory.cjs', import.meta.url))}`,
  LIVE_MEMORY_FILE: file,
});

/** The service as in production, on the same port at every start; each start logs to its own file in the folder. */
export class Service {
  #child;
  #starts = 0;

  /** `dist` is the build of another version. */
  constructor(folder, port, env, dist) {
    this.folder = folder;
    this.main = dist ? join(dist, 'main.js') : built('main.js');
    this.port = port;
    this.env = {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: 'http://faults.example.com',
      DOMAIN_CHECKS: 'off',
      ...env,
    };
  }

  get pid() {
    return this.#child.pid;
  }

  /** The process ids of its workers, without starting a process: that could pause the visitors of this one for seconds. */
  workers() {
    return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  }

  /** Returns when it is ready. @throws Error with the log if it exits first */
  async start() {
    const options = { cwd: this.folder, env: this.env };
    const log = join(this.folder, `service-${++this.#starts}.log`);
    this.#child = start(process.execPath, [this.main], { ...options, log });
    await this.#ready(() => readFileSync(log, 'utf8'));
    return this;
  }

  /** Starts without a log file, for a process that may not write to one. */
  async startWithoutFiles() {
    const options = { cwd: this.folder, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] };
    this.#child = track(spawn(process.execPath, [this.main], options));
    let said = '';
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on('data', (bytes) => (said = (said + bytes).slice(-5_000)));
    await this.#ready(() => said);
    return this;
  }

  /** Starts with both standard streams on an open file, such as a pipe. */
  async startOn(file) {
    const options = { cwd: this.folder, env: this.env, stdio: ['ignore', file, file] };
    this.#child = track(spawn(process.execPath, [this.main], options));
    await this.#ready(() => '');
    return this;
  }

  signal(name) {
    this.#child.kill(name);
  }

  get isRunning() {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal and returns the exit code once it has exited. */
  async end(signal = 'SIGKILL') {
    if (!this.isRunning) return this.#child?.exitCode ?? 0;
    const exited = once(this.#child, 'exit');
    this.signal(signal);
    const [code] = await exited;
    return code;
  }

  /** The logs of all starts. */
  logs() {
    const names = readdirSync(this.folder).filter((name) => /^service-\d+\.log$/.test(name));
    return names.map((name) => readFileSync(join(this.folder, name), 'utf8')).join('');
  }

  /** Bytes in use by a service started with `liveMemoryIn`, after its connections have been dropped. */
  async liveMemory() {
    const file = this.env.LIVE_MEMORY_FILE;
    await sleep(LINGER_MILLISECONDS);
    rmSync(file, { force: true });
    this.signal('SIGUSR2');
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20);
    return Number(readFileSync(file, 'utf8'));
  }

  async #ready(said) {
    const client = new Client(this.port);
    const deadline = performance.now() + START_MILLISECONDS;
    while (this.isRunning && performance.now() < deadline) {
      if ((await client.send('GET', '/health/ready')).status === 200) return client.close();
      await sleep(20);
    }
    client.close();
    throw new Error(`The service did not start:\n${said()}`);
  }
}
