import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import Libsql from 'libsql';
import { withApplication } from './application';
import { runCommand } from './command';
import { connectTo, onMysql, type TestDatabase } from './database';
import { freePort } from './free-port.cjs';
import { type RawAnswer, sendRaw } from './raw-request';
import { DOMAINS, newHost } from './records';
import { type ServerProcess, withServer } from './server-process';

type Environment = Record<string, string | undefined>;
type Form = Record<string, string>;

export const INDEX_URL = 'https://shop.example.org/welcome?from=edge';
export const NOT_FOUND_URL = 'https://shop.example.org/missing';

/** Runs a statement on the database, beside the server. */
export async function runSql(database: TestDatabase, sql: string, values: (string | number)[] = []): Promise<void> {
  if (onMysql) {
    const connection = await connectTo(database.env.DATABASE_URL);
    await connection.query(sql, values);
    await connection.end();
  } else {
    const connection = new Libsql(database.env.DATABASE_URL.slice('sqlite:'.length), { timeout: 10_000 });
    connection.prepare(sql).run(...values);
    connection.close();
  }
}

/** Polls until the answer is the expected one. */
export async function untilEqual<T>(read: () => Promise<T>, expected: T): Promise<void> {
  while ((await read()) !== expected) await pause(20);
}

/** A server with an edge, an account, and what a test does to both. */
export class EdgeServer {
  constructor(
    readonly process: ServerProcess,
    readonly database: TestDatabase,
    readonly port: number,
    readonly edgePort: number,
    private readonly key: string,
  ) {}

  get(host: string, path = '/', headers: Record<string, string | string[]> = {}, method = 'GET'): Promise<RawAnswer> {
    return sendRaw(this.edgePort, { method, path, headers: { Host: host, ...headers } });
  }

  /** Where a path of a host leads, or another status. */
  async location(host: string, path = '/'): Promise<string | number> {
    const { status, headers } = await this.get(host, path);
    return status === 302 ? headers.location : status;
  }

  async ask(host: string): Promise<number> {
    return (await this.get('localhost', `/.frontdesk/ask?domain=${host}`)).status;
  }

  /** All that the edge sends after these bytes, until it closes the connection. */
  async exchange(bytes: string | Buffer): Promise<string> {
    const socket = connect(this.edgePort, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined).end(bytes);
    return text(socket);
  }

  async send(method: string, path: string, form: Form = {}): Promise<{ id: number }> {
    const headers = { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, text: body } = await sendRaw(this.port, { method, path, headers, body: new URLSearchParams(form).toString() });
    if (status >= 300) throw new Error(`${method} ${path} is answered ${status}: ${body}`);
    return (JSON.parse(body) as { data: { id: number } }).data;
  }

  async createDomain(form: Form = {}): Promise<{ id: number; host: string }> {
    const host = newHost();
    const urls = { custom_index_url: INDEX_URL, custom_not_found_url: NOT_FOUND_URL };
    const { id } = await this.send('POST', DOMAINS, { host, ...urls, ...form });
    return { id, host: form.host ?? host };
  }

  /** A domain that the edge answers for. */
  async createLive(form: Form = {}): Promise<{ id: number; host: string }> {
    const domain = await this.createDomain(form);
    await this.verify(domain);
    await this.untilShown();
    return domain;
  }

  /** Waits for the changes up to now, which show in their order. */
  async untilShown(): Promise<void> {
    const marker = await this.createDomain();
    await this.verify(marker);
    await untilEqual(() => this.location(marker.host), INDEX_URL);
  }

  /** By the operator, until `unverify`. */
  verify({ id }: { id: number }): Promise<void> {
    return this.operate('verify', id);
  }

  unverify({ id }: { id: number }): Promise<void> {
    return this.operate('unverify', id);
  }

  private async operate(verb: string, id: number): Promise<void> {
    const { code, stderr } = await runCommand(this.database.env, ['domains', verb, String(id)]);
    if (code !== 0) throw new Error(`domains ${verb} ended with ${code}: ${stderr}`);
  }
}

/** Lends a server with an edge to a test, and ends it whatever happens. */
export async function withEdge(database: TestDatabase, env: Environment, work: (edge: EdgeServer) => Promise<void>): Promise<void> {
  let key = '';
  await withApplication(database.env, async (application) => {
    key = (await application.createAccount()).key;
  });
  const EDGE_PORT = String(await freePort());
  const settings = { ...database.env, DOMAIN_CHECKS: 'off', DEMO: 'off', EDGE_PORT, PATH: process.env.PATH, ...env };
  await withServer(settings, (server, port) => work(new EdgeServer(server, database, port, Number(EDGE_PORT), key)));
}
