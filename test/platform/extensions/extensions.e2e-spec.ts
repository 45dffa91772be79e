/** @mysql whole */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import { Command } from 'commander';
import {
  Column,
  DataSource,
  Entity,
  JoinColumn,
  ManyToOne,
  type MigrationInterface,
  PrimaryGeneratedColumn,
  type QueryRunner,
  Table,
} from 'typeorm';
import { Account, AccountOwned } from '../../../src/auth/accounts/account.entity';
import { Scope } from '../../../src/auth/route-policies';
import { withServices } from '../../../src/programs/commands/actions/with-services';
import { text } from '../../../src/platform/common/field-types';
import type { RecordColumns } from '../../../src/platform/common/records';
import { flag, generatedId, index, integer, reference, varchar } from '../../../src/platform/database/migrations/columns';
import { MYSQL_TABLE } from '../../../src/platform/database/migrations/columns';
import { defineExtension, type Extension } from '../../../src/platform/extensions/extension';
import { Job } from '../../../src/platform/jobs/job.decorator';
import { Schedule } from '../../../src/platform/jobs/schedule';
import { withApplication } from '../../support/http/application';
import { runCommand } from '../../support/areas/command';
import { createDatabase, type TestDatabase } from '../../support/servers/database';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

@Entity('salas')
class Sala extends AccountOwned {
  @PrimaryGeneratedColumn()
  salas_id: number;

  @Column({ type: 'varchar', length: 128 })
  sala_nome: string;

  @Column({ type: 'varchar', length: 384 })
  sala_nome_folded: string;

  @Column({ type: 'boolean' })
  sala_disponivel: boolean;
}

@Entity('badges')
class Badge {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'int' })
  account_id: number;

  @Column({ type: 'varchar', length: 32 })
  title: string;

  @ManyToOne(() => Account, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'account_id' })
  account: Account;
}

class Rooms1795200060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [accounts, id] = [reference('account_id', 'accounts'), integer('account_id')];
    const names = [varchar('sala_nome', 128), varchar('sala_nome_folded', 384)];
    const salas = { columns: [generatedId('salas_id'), id, ...names, flag('sala_disponivel')], indices: [index('account_id', 'salas_id')] };
    await runner.createTable(new Table({ name: 'salas', engine: MYSQL_TABLE, foreignKeys: [accounts], ...salas }));
    const badges = { columns: [generatedId(), id, varchar('title', 32)], foreignKeys: [accounts] };
    await runner.createTable(new Table({ name: 'badges', engine: MYSQL_TABLE, ...badges }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('badges');
    await runner.dropTable('salas');
  }
}

@Controller('api/badges')
class BadgesController {
  @Scope('badges:read')
  @Get()
  count() {
    return { data: [] };
  }
}

@Module({ controllers: [BadgesController] })
class BadgesModule {}

let ran = 0;

class Polish {
  @Job({ name: 'polish', everyMs: 86_400_000 })
  run(): Promise<void> {
    ran++;
    return Promise.resolve();
  }
}

const BADGE_COLUMNS: RecordColumns = {
  name: 'badges',
  id: { name: 'id', column: 'id' },
  fields: ['id', 'title'],
  columns: [{ name: 'title', type: text(32, 'Gold') }],
};

const ROOMS = defineExtension({
  name: 'rooms',
  modules: [BadgesModule],
  entities: [Sala, Badge],
  migrations: [Rooms1795200060000],
  collections: [
    {
      name: 'salas',
      noun: 'sala',
      id: 'salas_id',
      fields: [
        { type: 'text', name: 'sala_nome', length: 128, example: 'Espera' },
        { type: 'flag', name: 'sala_disponivel' },
      ],
    },
  ],
  importable: [BADGE_COLUMNS],
  commands: [
    () =>
      new Command('rooms').action(
        withServices(async (app) => void process.stdout.write(`${await app.get(DataSource).getRepository(Sala).count()}\n`)),
      ),
  ],
  jobs: [Polish],
});

const folder = useTemporaryFolder();
let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
  ran = 0;
});

afterEach(() => database.drop());

/** Installs a package in the working directory whose default export is this extension. */
function install(name: string, extension: Extension): string {
  const path = folder.path(`node_modules/${name}`);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  const key = `frontdesk test ${name}`;
  Object.assign(globalThis, { [key]: extension });
  writeFileSync(join(path, 'index.js'), `exports.default = globalThis[${JSON.stringify(key)}];`);
  return path;
}

const run = (extensions: string, ...argv: string[]) =>
  runCommand({ ...database.env, EXTENSIONS: extensions }, argv, { folder: folder.path() });

test('an extension adds routes, scopes, a collection, imports, commands and jobs', async () => {
  install('rooms', ROOMS);
  await run('rooms', 'accounts', 'create', 'acme');
  const salas = folder.file('salas.csv', 'salas_id,sala_nome,sala_disponivel\n7,Espera,true\n');
  expect(await run('rooms', 'import', 'salas', salas, '--account', 'acme')).toMatchObject({ code: 0 });
  const badges = folder.file('badges.csv', 'id,title\n3,Gold\n');
  expect(await run('rooms', 'import', 'badges', badges, '--account', 'acme')).toMatchObject({ code: 0 });
  expect(await run('rooms', 'export', 'badges', '--account', 'acme')).toMatchObject({ stdout: 'id,title\n3,Gold\n' });
  expect(await run('rooms', 'rooms')).toMatchObject({ code: 0, stdout: '1\n' });
  const created = await run('rooms', 'keys', 'create', '--account', 'acme', '--scopes', 'badges:read,scheduling:read');
  expect([created.code, ran]).toEqual([0, 0]);

  await withApplication(
    database.env,
    async (application) => {
      const client = application.client(created.stdout.trim());
      expect((await client.get('/api/badges').expect(200)).body).toEqual({ data: [] });
      const found = await client.get('/scheduling?api=salas&sala-nome=ESPERA').expect(200);
      expect(found.body).toEqual({ data: [{ salas_id: 7, sala_nome: 'Espera', sala_disponivel: true }] });
      const { body } = await client.get('/openapi.json').expect(200);
      expect(JSON.stringify(body)).toMatch(/"sala-nome".*SalasRecord/);
      await application.app.get(Schedule).runDue();
      expect(ran).toBe(1);
    },
    ROOMS,
  );
  expect(await run('rooms', 'accounts', 'delete', 'acme', '--with-records', '--json')).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ id: 1, name: 'acme', records: { salas: 1, badges: 1 } })}\n`,
  });
});

test('a job of an extension runs in only one of two processes', async () => {
  await withApplication(
    database.env,
    () => withApplication(database.env, () => Promise.resolve(), ROOMS), // each runs due jobs
    ROOMS,
  );
  expect(ran).toBe(1);
});

test('the service and its commands run without an extension whose tables are in the database', async () => {
  install('rooms', ROOMS);
  await run('rooms', 'migrate');
  expect(await run('', 'accounts', 'create', 'acme')).toMatchObject({ code: 0 });
  await withApplication(database.env, (application) => application.client().get('/health/ready').expect(200) as unknown as Promise<void>);
});

test('a route of an extension may require a scope of the service', async () => {
  @Controller('api/halls')
  class HallsController {
    @Scope('domains:read')
    @Get()
    find() {
      return { data: [] };
    }
  }

  @Module({ controllers: [HallsController] })
  class HallsModule {}
  await withApplication(
    database.env,
    async (application) => {
      const { client } = await application.createAccount();
      await client.get('/api/halls').expect(200);
    },
    HallsModule,
  );
});

describe('EXTENSIONS', () => {
  const refusal = (name: string, reason: string) => ({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`EXTENSIONS: ${name} can't be loaded: ${reason}`) as string,
  });

  test('rejects a package that is not installed', async () => {
    expect(await run('no-such-package', 'accounts', 'list')).toEqual(refusal('no-such-package', 'there is no such package'));
  });

  test('rejects a package whose code throws', async () => {
    writeFileSync(join(install('broken', ROOMS), 'index.js'), "throw new Error('No licence.')");
    expect(await run('broken', 'accounts', 'list')).toEqual(refusal('broken', 'No licence. (at '));
  });

  test.each<[string, object, string]>([
    ['undeclared', {}, 'An extension needs a name'],
    ['unnumbered', { name: 'halls', migrations: [class Halls17956 extends Rooms1795200060000 {}] }, 'The name of the migration Halls17956 must end'], // prettier-ignore
    ['nameless', { name: 'No Name' }, 'The name of an extension must be'],
    ['misspelled', { name: 'halls', controllers: [] }, 'controllers is not a property of an extension'],
  ])('rejects a package with an invalid extension: %s', async (name, extension, reason) => {
    install(name, extension as Extension);
    expect(await run(name, 'accounts', 'list')).toEqual(refusal(name, reason));
  });

  test('rejects a package with its own copy of Nest', async () => {
    const nest = join(install('doubled', { name: 'halls' }), 'node_modules', '@nestjs', 'common');
    mkdirSync(nest, { recursive: true });
    writeFileSync(join(nest, 'index.js'), '');
    const reason = `it would use a second copy of @nestjs/common, ${join(nest, 'index.js')}. Make it a peer dependency, and install without peers (npm install --omit=peer), or beside frontdesk.`;
    expect(await run('doubled', 'accounts', 'list')).toEqual(refusal('doubled', reason));
  });
});
