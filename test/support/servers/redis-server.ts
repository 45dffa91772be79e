import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.cjs';

const BINARY = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'redis-server'))
  .find((path) => existsSync(path));

export const NO_REDIS = 'Sharing the rate limit was not tried: install redis-server.';

/** Whether tests that need it run; without it they fail where all that is needed must be there. */
export const triesRedis = BINARY !== undefined || process.env.CI === 'true';

/** A throw-away server that keeps nothing. It can die, return, freeze and thaw. */
export class RedisServer {
  private server: ChildProcess;

  private constructor(
    readonly port: number,
    private readonly options: readonly string[],
  ) {}

  static async start(...options: string[]): Promise<RedisServer> {
    const redis = new RedisServer(await freePort(), options);
    await redis.begin();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async begin(): Promise<void> {
    if (!BINARY) throw new Error(NO_REDIS);
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', tmpdir(), '--save', '', ...this.options];
    this.server = spawn(BINARY, place, { stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const line of createInterface({ input: this.server.stdout! })) {
      if (line.includes('Ready to accept connections')) break;
    }
    this.server.stdout!.resume();
  }

  freeze(): void {
    this.server.kill('SIGSTOP');
  }

  thaw(): void {
    this.server.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const exited = once(this.server, 'exit');
    this.server.kill('SIGKILL');
    await exited;
  }
}

/** Lends a server to one test. */
export async function withRedis(work: (redis: RedisServer) => Promise<void>, ...options: string[]): Promise<void> {
  const redis = await RedisServer.start(...options);
  try {
    await work(redis);
  } finally {
    await redis.kill();
  }
}
