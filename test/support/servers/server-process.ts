import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SERVER_SCRIPT } from '../jest/build';

type Environment = Record<string, string | undefined>;

/** The exit code and all output of a process. */
export interface Ending {
  code: number | null;
  output: string;
  errors: string;
}

/** The built server as a process of its own, with this environment and no other; its port is free for the asking. */
export class ServerProcess {
  private output = '';
  private errors = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<Ending>;

  constructor(env: Environment, script = SERVER_SCRIPT, stdio: StdioOptions = 'pipe') {
    const surroundings = { PORT: '0', HOST: '127.0.0.1', DOMAIN_CHECKS: 'off', ...env };
    this.child = spawn(process.execPath, [script], { cwd: tmpdir(), env: surroundings, stdio });
    this.child.stdout?.on('data', (bytes: Buffer) => (this.output += bytes.toString()));
    this.child.stderr?.on('data', (bytes: Buffer) => (this.errors += bytes.toString()));
    this.ended = once(this.child, 'close').then(() => ({ code: this.child.exitCode, output: this.output, errors: this.errors }));
  }

  /** The port that the server listens on, once it does. */
  async ready(): Promise<number> {
    const address = /answers at http:\/\/localhost:(\d+)/;
    while (!address.test(this.output)) {
      const ending = await Promise.race([once(this.child.stdout!, 'data').then(() => undefined), this.ended]);
      if (ending) throw new Error(`The server ended with code ${ending.code}.\n${ending.output}${ending.errors}`);
    }
    return Number(address.exec(this.output)![1]);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The process ids of its workers, read without starting a process: that can block a busy machine for seconds. */
  workers(): number[] {
    return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  }

  /** What the server has written on standard output so far. */
  said(): string {
    return this.output;
  }

  /** What it has written on standard error so far. */
  complained(): string {
    return this.errors;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Waits for the process to exit. */
  end(): Promise<Ending> {
    return this.ended;
  }

  async stop(): Promise<Ending> {
    this.signal('SIGTERM');
    return this.ended;
  }
}

/** Lends a server to a test, and ends it whatever happens. */
export async function withServer<T>(
  env: Environment,
  work: (server: ServerProcess, port: number) => Promise<T>,
  script?: string,
): Promise<T> {
  const server = new ServerProcess(env, script);
  try {
    return await work(server, await server.ready());
  } finally {
    server.signal('SIGKILL');
    await server.end();
  }
}
