import { EventNumbers } from '../../../src/platform/database/events/event-numbers';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../../src/auth/accounts/accounts.service';
import { RoutePolicies, type ScopeName } from '../../../src/auth/route-policies';
import { ApiKeysService } from '../../../src/auth/accounts/api-keys.service';
import { createApplication } from '../../../src/programs/server/application';
import { Network } from '../../../src/platform/common/network';
import { Config } from '../../../src/platform/config/config';
import type { Extension } from '../../../src/platform/extensions/extension';
import { Schedule } from '../../../src/platform/jobs/schedule';
import type { Sandbox, SandboxAccount } from '../../../src/programs/sandbox/testing';
import { Client } from './client';
import { createDatabase, type TestDatabase } from '../servers/database';
import { receiver } from '../servers/receiver';

/** Where the links of the tests' applications lead: an address that no request of a test is sent to. */
export const PUBLIC_URL = 'https://frontdesk.test';

/** No look-up leaves the tests: nobody listens on this port. */
const NO_DNS = '127.0.0.1:1';
/** Real sockets for what these tests start on loopback: name servers, mail servers. */
const NEEDS_NETWORK = ['DNS_SERVERS', 'OUTBOUND_ALLOW'];

type Environment = Record<string, string | undefined>;
/** Made before the application starts, for addresses that servers of the tests have got. */
type LateEnvironment = () => Environment | Promise<Environment>;
type NewKey = Partial<Parameters<ApiKeysService['create']>[0]>;

/** An account, and a client that sends its key. */
export interface TestAccount {
  id: number;
  key: string;
  keyId: number;
  client: Client;
}

/** The application as production boots it, listening on a port of its own. */
export class TestApplication {
  private constructor(
    readonly app: NestExpressApplication,
    readonly server: Server,
  ) {}

  static async start(env: Environment, ...added: (Type | Extension)[]): Promise<TestApplication> {
    const config = new Config({ PUBLIC_URL, LOG_LEVEL: 'silent', DOMAIN_CHECKS: 'off', DNS_SERVERS: NO_DNS, ...env });
    const network = NEEDS_NETWORK.some((name) => env[name]) ? new Network() : receiver;
    const app = await createApplication(config, added, { overrides: [{ provide: Network, useValue: network }] });
    const server = await app.listen(0, '127.0.0.1');
    await app.get(Schedule).runDue(); // so that those of the start don't write beside a test
    return new TestApplication(app, server);
  }

  get dataSource(): DataSource {
    return this.app.get(DataSource);
  }

  /** All scopes, sorted. */
  get scopes(): readonly ScopeName[] {
    return this.app.get(RoutePolicies).scopes;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** A client that sends this key, or none. */
  client(key?: string): Client {
    return new Client(this.server, key);
  }

  async createAccount(options: NewKey = {}): Promise<TestAccount> {
    const { id } = await this.app.get(AccountsService).create(`account ${randomUUID()}`);
    return { id, ...(await this.createKey(id, options)) };
  }

  async createKey(accountId: number, options: NewKey = {}): Promise<Omit<TestAccount, 'id'>> {
    const { id, key } = await this.app.get(ApiKeysService).create({ name: 'test', ...options, accountId });
    return { key, keyId: id, client: this.client(key) };
  }

  /** All that a table holds, by ascending id. */
  rows(table: string): Promise<Record<string, unknown>[]> {
    return this.dataSource.query(`SELECT * FROM ${table} ORDER BY id`);
  }

  /** The audit's entries, by ascending id. */
  audited(): Promise<Record<string, unknown>[]> {
    const columns = 'id, datetime, account_id, key_id, action, record, record_id, request_id';
    return this.dataSource.query(`SELECT ${columns} FROM events WHERE is_audited = 1 ORDER BY id`);
  }

  /** The hosts that the log tells the edge to look at again, once for each event. */
  async loggedHosts(): Promise<string[]> {
    const rows = await this.dataSource.query<{ host: string }[]>('SELECT host FROM events WHERE host IS NOT NULL ORDER BY id');
    return rows.map(({ host }) => host);
  }

  /** All that the database holds, but when keys were used: a request that changes nothing else moves that. */
  async dump(): Promise<Record<string, unknown>[][]> {
    await this.app.get(EventNumbers).numberEvents(); // in the background, it would come between two dumps
    const tables = this.dataSource.entityMetadatas.map(({ tableName, primaryColumns }) => ({
      tableName,
      key: primaryColumns[0].databaseName,
    }));
    const rows = tables.map(({ tableName, key }) =>
      this.dataSource.query<Record<string, unknown>[]>(`SELECT * FROM ${tableName} ORDER BY ${key}`),
    );
    return (await Promise.all(rows)).map((table) => table.map(({ last_used_datetime: _, ...row }) => row));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await this.app.close();
  }
}

export type SandboxTestAccount = SandboxAccount & Pick<TestAccount, 'client'>;

/** A new account of a sandbox. */
export async function sandboxAccount(sandbox: Sandbox): Promise<SandboxTestAccount> {
  const account = await sandbox.account();
  return { ...account, client: new Client(sandbox.httpServer, account.key) };
}

/** Lends an application to one test, on a database that another uses, too, or did. */
export async function withApplication(
  env: Environment,
  work: (application: TestApplication) => Promise<void>,
  ...added: (Type | Extension)[]
): Promise<void> {
  const application = await TestApplication.start(env, ...added);
  try {
    await work(application);
  } finally {
    await application.stop();
  }
}

/**
 * An application on a new database for the tests of a file or of a `describe`: started before the first, gone after the
 * last. The functions give what there is once the tests run. Modules and extensions are added to the application's own.
 */
export function useApplication(
  env: Environment | LateEnvironment = {},
  ...added: (Type | Extension)[]
): { application: () => TestApplication; database: () => TestDatabase } {
  let application: TestApplication | undefined;
  let database: TestDatabase;
  const started = () => {
    if (!application) throw new Error('The application has not started: see the failed beforeAll.');
    return application;
  };
  beforeAll(async () => {
    database = await createDatabase();
    const given = typeof env === 'function' ? await env() : env;
    application = await TestApplication.start({ ...database.env, ...given }, ...added);
  });
  afterAll(async () => {
    if (application) await refuseRecordsOnSqliteAlone(application);
    await application?.stop();
    await database?.drop();
  });
  return { application: started, database: () => database };
}

/** A file that writes records tries the database, too. @throws Error if its docblock keeps it from MySQL */
async function refuseRecordsOnSqliteAlone(application: TestApplication): Promise<void> {
  if (!readFileSync(expect.getState().testPath!, 'utf8').startsWith('/** @mysql never */')) return;
  const written = await application.dataSource.query("SELECT record FROM events WHERE record NOT IN ('account', 'key') LIMIT 1");
  if (written.length > 0) throw new Error('This file writes records: its docblock must let it run on MySQL, too.');
}
