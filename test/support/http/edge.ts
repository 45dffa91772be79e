import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Libsql from 'libsql';
import { OperatorVerifications } from '../../../src/domains/verification/operator-verifications';
import { TestApplication, withApplication } from './application';
import { until } from '../jest/clock';
import { runCommand } from '../areas/command';
import { connectTo, createDatabase, onMysql, type TestDatabase } from '../servers/database';
import { freePort } from '../servers/free-port.cjs';
import { type RawAnswer, sendRaw } from './raw-request';
import { DOMAINS, newHost } from '../areas/records';
import { ServerProcess, withServer } from '../servers/server-process';

type Environment = Record<string, string | undefined>;
type Form = Record<string, string>;

export interface Domain {
  id: number;
  host: string;
}

export const INDEX_URL = 'https://shop.example.org/welcome?from=edge';
export const NOT_FOUND_URL = 'https://shop.example.org/missing';
const URLS = { custom_index_url: INDEX_URL, custom_not_found_url: NOT_FOUND_URL };

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
  await until(read, (value) => value === expected);
}

/** A server with an edge, and an account whose domains a test changes. */
export class EdgeServer {
  constructor(
    readonly process: ServerProcess,
    readonly database: TestDatabase,
    /** On the same database, for what an operator does. */
    private readonly application: TestApplication,
    readonly port: number,
    readonly edgePort: number,
    private readonly key: string,
    /** Live before the server started, so tests needn't wait for them. */
    private readonly domains: Domain[],
  ) {}

  get(host: string, path = '/', headers: Record<string, string | string[]> = {}, method = 'GET'): Promise<RawAnswer> {
    return sendRaw(this.edgePort, { method, path, headers: { Host: host, ...headers } });
  }

  /** The Location of a redirect, or the status of any other response. */
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

  async createDomain(form: Form = {}): Promise<Domain> {
    const host = newHost();
    const { id } = await this.send('POST', DOMAINS, { host, ...URLS, ...form });
    return { id, host: form.host ?? host };
  }

  /** A domain of a test's own that was live before the server started. */
  takeLive(): Domain {
    return this.domains.pop()!;
  }

  /** A domain that the edge redirects. */
  async createLive(form: Form = {}): Promise<Domain> {
    const domain = await this.createDomain(form);
    await this.verify(domain);
    await until(
      () => this.location(domain.host),
      (location) => location !== 404,
    );
    return domain;
  }

  /** Waits for the changes up to now, which show in their order. */
  async untilShown(): Promise<void> {
    await this.createLive();
  }

  /** By the operator, until `unverify`. */
  verify({ id }: { id: number }): Promise<void> {
    return this.application.app.get(OperatorVerifications).verify(id);
  }

  unverify({ id }: { id: number }): Promise<boolean> {
    return this.application.app.get(OperatorVerifications).unverify(id);
  }
}

/** Runs a command on a domain. */
export async function operate({ env }: TestDatabase, verb: string, id: number): Promise<void> {
  const { code, stderr } = await runCommand(env, ['domains', verb, String(id)]);
  if (code !== 0) throw new Error(`domains ${verb} ended with ${code}: ${stderr}`);
}

/** More than the tests of a file take. */
export const DOMAINS_BEFORE = 16;

/** What a server with an edge starts on, and that server once it answers. */
async function prepare(database: TestDatabase, application: TestApplication, env: Environment) {
  const domains: Domain[] = [];
  const { client, key } = await application.createAccount();
  while (domains.length < DOMAINS_BEFORE) {
    const host = newHost();
    const id = await client.create(DOMAINS, { host, ...URLS });
    await application.app.get(OperatorVerifications).verify(id);
    domains.push({ id, host });
  }
  const edgePort = await freePort();
  const EDGE_PORT = String(edgePort);
  const settings = { ...database.env, DOMAIN_CHECKS: 'off', DEMO: 'off', EDGE_PORT, PATH: process.env.PATH, ...env };
  const edgeOf = (server: ServerProcess, port: number) => new EdgeServer(server, database, application, port, edgePort, key, domains);
  return { settings, edgeOf };
}

/** Lends a server with an edge to a test, and ends it whatever happens. */
export async function withEdge(database: TestDatabase, env: Environment, work: (edge: EdgeServer) => Promise<void>): Promise<void> {
  await withApplication(database.env, async (application) => {
    const { settings, edgeOf } = await prepare(database, application, env);
    await withServer(settings, (server, port) => work(edgeOf(server, port)));
  });
}

/** A server with an edge, on a new database, for the tests of a file or of a `describe`, as a boot takes seconds. */
export function useEdge(env: (database: TestDatabase) => Environment | Promise<Environment> = () => ({})): () => EdgeServer {
  let database: TestDatabase;
  let application: TestApplication;
  let server: ServerProcess | undefined;
  let edge: EdgeServer;
  beforeAll(async () => {
    database = await createDatabase();
    application = await TestApplication.start(database.env);
    const { settings, edgeOf } = await prepare(database, application, await env(database));
    server = new ServerProcess(settings);
    edge = edgeOf(server, await server.ready());
  });
  afterAll(async () => {
    server?.signal('SIGKILL');
    await server?.end();
    await application?.stop();
    await database?.drop();
  });
  return () => edge;
}
