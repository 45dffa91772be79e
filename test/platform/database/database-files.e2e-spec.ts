/** @mysql whole */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Agent } from 'node:http';
import { dirname, join } from 'node:path';
import { Logger } from '@nestjs/common';
import Libsql from 'libsql';
import { withApplication } from '../../support/http/application';
import { runProcess } from '../../support/areas/command';
import { createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { expectErrors, readErrors } from '../../support/http/errors';
import { DOMAINS, newHost } from '../../support/areas/records';
import { sendRaw } from '../../support/http/raw-request';
import { withServer } from '../../support/servers/server-process';
import { longTest } from '../../support/jest/size';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const ofTheFile = onMysql ? describe.skip : describe;

const fileOf = ({ env }: TestDatabase) => env.DATABASE_URL.slice('sqlite:'.length);
const modifiedAt = (path: string) => statSync(path).mtimeMs;
const modeOf = (path: string) => statSync(path).mode & 0o7777;

ofTheFile('the file of the embedded database', () => {
  const { path } = useTemporaryFolder();
  let database: TestDatabase;
  let file: string;
  let copies = 0;

  beforeEach(async () => {
    database = await createDatabase();
    file = fileOf(database);
  });
  afterEach(() => database.drop());

  /** Counts rows in a copy of the main file alone. */
  function countInCopy(table: string): number {
    const copy = path(`copy-${++copies}.sqlite`);
    copyFileSync(file, copy); // a connection in this process would release its locks when closed
    const connection = new Libsql(copy);
    expect(connection.pragma('integrity_check')).toEqual([expect.objectContaining({ integrity_check: 'ok' })]);
    const { count } = connection.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get() as { count: number };
    connection.close();
    return count;
  }

  const logSize = () => (existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0);

  longTest('a command empties the write-ahead log, except beside a running service', async () => {
    await runProcess(database.env, 'accounts', 'create', 'first');
    expect([logSize(), countInCopy('accounts')]).toEqual([0, 1]);

    await withServer(database.env, async (server, port) => {
      await runProcess(database.env, 'accounts', 'create', 'second');
      const [before, log] = [modifiedAt(file), statSync(`${file}-wal`)];
      await runProcess(database.env, 'accounts', 'list');
      await runProcess(database.env, 'accounts', 'create', 'third');
      const after = statSync(`${file}-wal`);
      expect([after.ino, after.size > log.size, modifiedAt(file)]).toEqual([log.ino, true, before]);
      expect(await sendRaw(port, { method: 'GET', path: '/health/ready' })).toMatchObject({ status: 200 });
      expect(await server.stop()).toMatchObject({ code: 0, errors: '' });
    });
    expect([logSize(), countInCopy('accounts')]).toEqual([0, 3]);
  });

  longTest('a log that another process keeps from being emptied is reported at the end', async () => {
    await withServer({ ...database.env, DEMO: 'off' }, async (server) => {
      const reader = new Libsql(file);
      reader.exec('BEGIN; SELECT COUNT(*) FROM accounts');
      await runProcess(database.env, 'accounts', 'create', 'unread');
      const { code, output } = await server.stop();
      expect([code, output]).toEqual([0, expect.stringMatching(/"level":"warn".*-wal/)]);
      reader.close();
    });
  });

  describe('when damaged or missing under a running service', () => {
    let errors: jest.SpyInstance;

    beforeEach(() => {
      errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    });

    test.each([
      ['removed', () => renameSync(file, `${file}.away`)],
      ['replaced', () => [renameSync(file, `${file}.away`), copyFileSync(`${file}.away`, file)]],
    ])('a %s file is not written until it is restored', async (_, move) => {
      await withApplication({ ...database.env, LOG_LEVEL: 'error' }, async (application) => {
        const { client } = await application.createAccount();
        move();
        for (let tries = 0; tries < 2; tries++) {
          expectErrors(await client.post(DOMAINS, { host: newHost() }), { code: 'unavailable' });
          expectErrors(await application.client().get('/health/ready'), { code: 'unavailable' });
        }
        const said = errors.mock.calls.filter(([line]) =>
          JSON.stringify(line).includes('has been removed or replaced, so writes are refused'),
        );
        expect(said).toHaveLength(1);
        renameSync(`${file}.away`, file);
        await application.client().get('/health/ready').expect(200);
        await client.post(DOMAINS, { host: newHost() }).expect(201);
      });
    });

    test('a damaged header fails readiness', async () => {
      await withApplication(database.env, async (application) => {
        await application.client().get('/health/ready').expect(200);
        const descriptor = openSync(file, 'r+'); // left open: closing it would release the locks of the application
        const header = Buffer.alloc(16);
        readSync(descriptor, header, 0, 16, 0);
        writeSync(descriptor, Buffer.alloc(16), 0, 16, 0);
        for (let probe = 0; probe < 3; probe++) expectErrors(await application.client().get('/health/ready'), { code: 'unavailable' });
        expect(errors.mock.calls.filter(([line]) => JSON.stringify(line).includes('is no longer a database'))).toHaveLength(1);
        writeSync(descriptor, header, 0, 16, 0);
        await application.client().get('/health/ready').expect(200);
      });
    });

    longTest('a removed file is not created again on shutdown', async () => {
      await withServer(database.env, async (server) => {
        renameSync(file, `${file}.away`);
        const { code, output } = await server.stop();
        expect([code, output]).toEqual([0, expect.stringMatching(/"level":"warn".*The database file has moved/)]);
        expect(existsSync(file)).toBe(false);
      });
      renameSync(`${file}.away`, file);
    });
  });

  longTest('a list that runs out of file descriptors is a 503, and the next one succeeds', async () => {
    let key = '';
    await withApplication(database.env, async (application) => void ({ key } = await application.createAccount()));
    await withServer(database.env, async (server, port) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const list = () =>
        sendRaw(port, { method: 'GET', path: '/api/messages?text=nowhere', headers: { Authorization: `Bearer ${key}` } }, agent);
      await sendRaw(port, { method: 'GET', path: '/health/live' }, agent);
      const limited = (...args: string[]) => execFileSync('prlimit', ['--pid', String(server.pid), ...args], { encoding: 'utf8' });
      const most = limited('--nofile', '--raw', '--output=SOFT', '--noheadings').trim();
      const open = new Set(readdirSync(`/proc/${server.pid}/fd`).map(Number));
      const firstFree = Array.from({ length: open.size + 1 }, (_, number) => number).find((number) => !open.has(number));
      limited(`--nofile=${firstFree}:`);
      expect(readErrors(await list()).map(({ code }) => code)).toEqual(['unavailable']);
      limited(`--nofile=${most}:`);
      expect(await list()).toMatchObject({ status: 200 });
      agent.destroy();
    });
  });

  describe('file permissions', () => {
    const WITHOUT_CONSOLE = { CONSOLE: 'off' }; // without a build, it warns
    const start = () => withApplication({ ...database.env, ...WITHOUT_CONSOLE }, () => Promise.resolve());
    let warnings: jest.SpyInstance;

    beforeEach(() => {
      warnings = jest.spyOn(Logger.prototype, 'warn');
    });

    test('a new folder, database and key file are accessible to their owner only', async () => {
      const env = { ...WITHOUT_CONSOLE, DATABASE_URL: `sqlite:${path('new/folder/frontdesk.sqlite')}` };
      await withApplication(env, () => {
        const modes = ['', '-wal', '-shm', '.key'].map((suffix) => modeOf(path(`new/folder/frontdesk.sqlite${suffix}`)));
        expect([modeOf(path('new/folder')), ...modes]).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
        return Promise.resolve();
      });
      expect(warnings).not.toHaveBeenCalled();
    });

    test('an existing folder and its files become accessible to their owner only', async () => {
      await start();
      const found = [file, `${file}.key`, ...[`${file}-wal`, `${file}-shm`].filter((name) => existsSync(name))];
      for (const name of found) chmodSync(name, 0o644);
      chmodSync(dirname(file), 0o755);
      await start();
      expect([dirname(file), ...found].map(modeOf)).toEqual([0o700, ...found.map(() => 0o600)]);
      expect(warnings).not.toHaveBeenCalled();
    });

    test.each([
      ['with other files', 0o755, 'other.txt'],
      ['writable by everybody', 0o1777, undefined],
    ])('a folder %s keeps its mode, with a warning', async (_, mode, other) => {
      if (other) writeFileSync(join(dirname(file), other), '');
      chmodSync(dirname(file), mode);
      await start();
      expect([modeOf(dirname(file)), modeOf(file)]).toEqual([mode, 0o600]);
      expect(warnings).toHaveBeenCalledTimes(1);
      expect(warnings).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining('DATABASE_URL') as string }));
    });

    test('a folder in place of the file is rejected and left unchanged', async () => {
      const folder = path('in-its-place');
      mkdirSync(folder, { mode: 0o755 });
      await expect(withApplication({ DATABASE_URL: `sqlite:${folder}` }, () => Promise.resolve())).rejects.toThrow(/DATABASE_URL/);
      expect(modeOf(folder)).toBe(0o755);
    });
  });
});
