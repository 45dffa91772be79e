import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../../../client/src/client';
import { createDatabase } from '../../../src/programs/sandbox/sandbox-database';
import { Client } from '../../support/http/client';
import { runProcess } from '../../support/areas/command';
import { newSecretsKey, type TestDatabase } from '../../support/servers/database';
import { REACH_LOOPBACK } from '../../support/areas/deliveries';
import { freePort } from '../../support/servers/free-port.cjs';
import { LoopbackReceiver } from './loopback-receiver';
import { type RawAnswer, sendRaw } from '../../support/http/raw-request';
import { ServerProcess } from '../../support/servers/server-process';

const LATER_SCRIPT = join(__dirname, 'later-start.cjs');
/** How far the copy's clock is ahead: what is due in an hour is due there, and never before the move. */
const AHEAD_MS = 7_200_000;
export const WAIT_SECONDS = 3_600;

/** A service in its own process with a client that follows its events, which a test moves to another database. */
export class MovingService {
  readonly receiver = new LoopbackReceiver();
  /** The ids of the events that the client received. */
  readonly seen: string[] = [];
  /** Why the client gave up. */
  failure?: unknown;
  account: { client: Client };
  private readonly following = new AbortController();
  private readonly databases: TestDatabase[] = [];
  private env: Record<string, string | undefined>;
  private to: Record<string, string>;
  private port: number;
  private edgePort: number;
  private server?: ServerProcess;

  /** Starts on a new database. Source and target are `sqlite`, or the address of a server. */
  async start(source: string, target: string): Promise<void> {
    await this.receiver.start();
    [this.port, this.edgePort] = [await freePort(), await freePort()];
    for (const place of [source, target]) this.databases.push(await createDatabase(place));
    const [from, to] = this.databases;
    const SECRETS_KEY = newSecretsKey();
    this.to = { ...to.env, SECRETS_KEY };
    this.env = {
      ...from.env,
      SECRETS_KEY,
      ...REACH_LOOPBACK,
      PATH: process.env.PATH,
      PORT: String(this.port),
      EDGE_PORT: String(this.edgePort),
      DELIVERY_WAITS: String(WAIT_SECONDS),
      DEMO: 'off',
      CONSOLE: 'off',
      LOG_LEVEL: 'warn',
    };
    await this.run('accounts', 'create', 'acme');
    const key = (await this.run('keys', 'create', '--account', 'acme')).trim();
    this.account = { client: new Client(this.url(), key) };
    this.server = new ServerProcess(this.env);
    await this.server.ready();
    void this.follow(key);
  }

  /** Stops the service, moves its database, and starts it on the same ports, two hours later. */
  async move(): Promise<void> {
    expect(await this.server!.stop()).toMatchObject({ code: 0, errors: '' });
    await this.run('move', '--to', this.to.DATABASE_URL);
    this.server = new ServerProcess({ ...this.env, ...this.to, CLOCK_AHEAD_MS: String(AHEAD_MS) }, LATER_SCRIPT);
  }

  async ready(): Promise<void> {
    await this.server!.ready();
  }

  async stop(): Promise<void> {
    this.following.abort();
    this.server?.signal('SIGKILL');
    await this.server?.end();
    this.receiver.stop();
    for (const database of this.databases) await database.drop();
  }

  url(path = ''): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  edge(host: string, path: string): Promise<RawAnswer> {
    return sendRaw(this.edgePort, { method: 'GET', path, headers: { Host: host } });
  }

  /** Runs a command on the first database. */
  async run(...argv: string[]): Promise<string> {
    const { code, stdout, stderr } = await runProcess(this.env, ...argv);
    if (code !== 0) throw new Error(`${argv[0]} ended with ${code}: ${stderr}`);
    return stdout;
  }

  private async follow(key: string): Promise<void> {
    const { signal } = this.following;
    const client = createClient({ url: this.url(), key, wait: () => pause(20) });
    try {
      for await (const { id } of client.events({ signal })) this.seen.push(id);
    } catch (error) {
      if (!signal.aborted) this.failure = error;
    }
  }
}
