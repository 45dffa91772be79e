// Runs on SQLite; in the whole run, on MySQL too.
import { chmodSync, copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Logger } from '@nestjs/common';
import Libsql from 'libsql';
import { withApplication } from '../../support/application';
import { runProcess } from '../../support/command';
import { createDatabase, onMysql, type TestDatabase } from '../../support/database';
import { sendRaw } from '../../support/raw-request';
import { withServer } from '../../support/server-process';
import { longTest } from '../../support/size';
import { useTemporaryFolder } from '../../support/temporary-folder';

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
    copyFileSync(file, copy); // no connection in this process, whose locks that would release
    const connection = new Libsql(copy);
    expect(connection.pragma('integrity_check')).toEqual([expect.objectContaining({ integrity_check: 'ok' })]);
    const { count } = connection.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get() as { count: number };
    connection.close();
    return count;
  }

  const logSize = () => (existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0);

  longTest('holds every row after a command, and is left alone by one beside a running service', async () => {
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

  longTest('says so when another process keeps the log from being emptied', async () => {
    await withServer({ ...database.env, DEMO: 'off' }, async (server) => {
      const reader = new Libsql(file);
      reader.exec('BEGIN; SELECT COUNT(*) FROM accounts');
      await runProcess(database.env, 'accounts', 'create', 'unread');
      const { code, output } = await server.stop();
      expect([code, output]).toEqual([0, expect.stringMatching(/"level":"warn".*-wal/)]);
      reader.close();
    });
  });

  describe('is for its owner only', () => {
    const WITHOUT_CONSOLE = { CONSOLE: 'off' }; // without a build, it warns
    const start = () => withApplication({ ...database.env, ...WITHOUT_CONSOLE }, () => Promise.resolve());
    let warnings: jest.SpyInstance;

    beforeEach(() => {
      warnings = jest.spyOn(Logger.prototype, 'warn');
    });

    test('as created', async () => {
      const env = { ...WITHOUT_CONSOLE, DATABASE_URL: `sqlite:${path('new/folder/frontdesk.sqlite')}` };
      await withApplication(env, () => {
        const modes = ['', '-wal', '-shm', '.key'].map((suffix) => modeOf(path(`new/folder/frontdesk.sqlite${suffix}`)));
        expect([modeOf(path('new/folder')), ...modes]).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
        return Promise.resolve();
      });
      expect(warnings).not.toHaveBeenCalled();
    });

    test('with its folder, as found', async () => {
      await start();
      const found = [file, `${file}.key`, ...[`${file}-wal`, `${file}-shm`].filter((name) => existsSync(name))];
      for (const name of found) chmodSync(name, 0o644);
      chmodSync(dirname(file), 0o755);
      await start();
      expect([dirname(file), ...found].map(modeOf)).toEqual([0o700, ...found.map(() => 0o600)]);
      expect(warnings).not.toHaveBeenCalled();
    });

    test.each([
      ['a folder with other files', 0o755, 'other.txt'],
      ['a folder that everybody may write to', 0o1777, undefined],
    ])('without %s, which gets a warning', async (_, mode, other) => {
      if (other) writeFileSync(join(dirname(file), other), '');
      chmodSync(dirname(file), mode);
      await start();
      expect([modeOf(dirname(file)), modeOf(file)]).toEqual([mode, 0o600]);
      expect(warnings).toHaveBeenCalledTimes(1);
      expect(warnings).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining('DATABASE_URL') as string }));
    });

    test('a folder in its place is refused as it is', async () => {
      const folder = path('in-its-place');
      mkdirSync(folder, { mode: 0o755 });
      await expect(withApplication({ DATABASE_URL: `sqlite:${folder}` }, () => Promise.resolve())).rejects.toThrow(/DATABASE_URL/);
      expect(modeOf(folder)).toBe(0o755);
    });
  });
});
