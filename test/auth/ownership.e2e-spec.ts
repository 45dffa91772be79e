/** @mysql whole */
import fs, { existsSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Config } from '../../src/platform/config/config';
import { requireOwnership, requireWritableDatabase } from '../../src/platform/database/sqlite/file-access';
import { withApplication } from '../support/http/application';
import { runCommand } from '../support/areas/command';
import { createDatabase, onMysql } from '../support/servers/database';
import { useTemporaryFolder } from '../support/jest/temporary-folder';

const onSqlite = onMysql ? describe.skip : describe;

onSqlite('the owner of an embedded database', () => {
  const { path } = useTemporaryFolder();
  const { username, uid } = userInfo();

  test('a command run by another user is rejected', async () => {
    const database = await createDatabase();
    await withApplication(database.env, () => Promise.resolve());
    const other = jest.spyOn(process, 'getuid').mockReturnValue(4_711);
    const { code, stderr } = await runCommand(database.env, ['accounts', 'list']);
    other.mockRestore();
    expect(stderr).toBe(
      `frontdesk: DATABASE_URL: the database belongs to the user ${username}. Run the command as that user: runuser -u ${username} -- …\n`,
    );
    expect(code).toBe(1);
    expect(await runCommand(database.env, ['accounts', 'list'])).toMatchObject({ code: 0 });
    await database.drop();
  });

  test('the start and commands report a file that root has restored, with the chown to run', async () => {
    const database = await createDatabase();
    const file = database.env.DATABASE_URL.slice('sqlite:'.length);
    await withApplication(database.env, () => Promise.resolve());
    const config = new Config(database.env);
    const mocks = [
      jest.spyOn(process, 'getuid').mockReturnValue(4_711),
      jest.spyOn(fs, 'statSync').mockReturnValue({ uid: 0 } as fs.Stats),
      jest.spyOn(fs, 'accessSync').mockImplementation(() => {
        throw new Error('EACCES');
      }),
    ];
    const sentence = `DATABASE_URL: the user #4711 can't write to the file ${file}. Give it to that user: chown 4711 ${file}`; // has no name
    expect(() => requireWritableDatabase(config)).toThrow(sentence);
    expect(() => requireOwnership(config)).toThrow(sentence);
    mocks.forEach((mock) => mock.mockRestore());
    await database.drop();
  });

  test('a command reports a folder that its user can’t write to, with the chown to run', async () => {
    const folder = path('unwritable');
    mkdirSync(folder, { mode: 0o555 });
    const refuse = () => {
      throw new Error('EACCES');
    };
    const access = uid === 0 ? jest.spyOn(fs, 'accessSync').mockImplementation(refuse) : undefined; // root may write anywhere
    const outcome = await runCommand({ DATABASE_URL: `sqlite:${folder}/data/frontdesk.sqlite` }, ['migrate']);
    access?.mockRestore();
    expect(outcome.stderr).toBe(
      `frontdesk: DATABASE_URL: the user ${username} can't write to the folder ${folder}. Give it to that user: chown ${uid} ${folder}\n`,
    );
    expect(outcome.code).toBe(1);
    expect(existsSync(`${folder}/data`)).toBe(false);
  });
});
