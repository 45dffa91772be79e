/** @mysql whole */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createDatabase, type TestDatabase } from '../../support/servers/database';
import { REACH_LOOPBACK } from '../../support/areas/deliveries';
import { ProjectCopy } from '../../support/extensions/project-copy';
import { type RawAnswer, sendRaw } from '../../support/http/raw-request';
import { ServerProcess } from '../../support/servers/server-process';
import { describeLong, longTestOnce } from '../../support/jest/size';

const COLLECTION = 'scheduling-collections.md';
const CHANNEL = 'channels.md';

describeLong('a project that follows docs/extend/', () => {
  let copy: ProjectCopy;
  let database: TestDatabase;
  let server: ServerProcess | undefined;
  let port: number;
  let key: string;

  beforeAll(async () => {
    database = await createDatabase();
    copy = new ProjectCopy();
    expect(copy.follow(COLLECTION)).toHaveLength(6);
    expect(copy.follow(CHANNEL)).toHaveLength(4);
    copy.build();
    const atendentes = fileOf('atendentes', 'atendentes_id,atendente_nome,atendente_cargo\n4,João,Barbeiro\n');
    const salas = fileOf(
      'salas',
      'salas_id,sala_nome,sala_disponivel,atendentes_id\n7,Espera,true,4\n9,ÁREA da espera,true,4\n8,Corte,false,4\n',
    );
    const printed = await frontdesk(
      ['accounts', 'create', 'acme'],
      ['keys', 'create', '--account', 'acme', '--name', 'test'],
      ['import', 'atendentes', atendentes, '--account', 'acme'],
      ['import', 'salas', salas, '--account', 'acme'],
    );
    [key] = printed.match(/^fd_\w+$/m)!;
    server = new ServerProcess({ ...database.env, ...REACH_LOOPBACK, DELIVERY_WAITS: '0', LOG_LEVEL: 'silent' }, copy.serverScript);
    port = await server.ready();
  });

  afterAll(async () => {
    server?.signal('SIGKILL');
    await server?.end();
    copy?.remove();
    await database?.drop();
  });

  test('serves a sixth scheduling collection', async () => {
    const espera = { salas_id: 7, sala_nome: 'Espera', sala_disponivel: true, atendentes_id: 4, atendente_nome: 'João' };
    const area = { ...espera, salas_id: 9, sala_nome: 'ÁREA da espera' };
    const read = async (query: string) => bodyOf(await send('GET', `/scheduling?api=salas${query}`));
    expect(await read('&sala-nome=ESPERA&orderby=sala_nome')).toEqual({ data: [area, espera] });
    expect(await read('&atendente-nome=joao&orderby=sala-nome&sort=desc')).toEqual({ data: [espera, area] });
    expect(await read('&salas-id=7')).toEqual({ data: espera });
    expect(await read('&orderby=cor')).toMatchObject({ errors: [{ code: 'invalid_parameter' }] });
  });

  test('delivers messages to a handler of a tenth type', async () => {
    const bodies: unknown[] = [];
    const receiver = createServer((request, response) => {
      void json(request).then((body) => response.writeHead(bodies.push(body) === 1 ? 503 : 200).end('{}', () => receiver.emit('answered')));
    });
    try {
      await once(receiver.listen(0, '127.0.0.1'), 'listening');
      const settings = { ntfy: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, ntfy_topic: 'night-shift-x7Kq' };
      const handler = idOf(await send('POST', '/api/notification-handlers', { name: 'Night shift', type: 'ntfy', ...settings }));
      const message = { title: 'Closed', text: 'é'.repeat(4_000), url: 'https://example.com/hours', handler_ids: String(handler) };
      idOf(await send('POST', '/api/messages', message));
      while (bodies.length < 2) await once(receiver, 'answered');
      const published = { topic: settings.ntfy_topic, title: 'Closed', message: `${'é'.repeat(2_046)}…`, click: message.url };
      expect(bodies).toEqual([published, published]);
      expect(bodyOf(await send('GET', `/api/notification-handlers/${handler}`))).toMatchObject({ data: { type: 'ntfy', settings } });
    } finally {
      receiver.close().closeAllConnections();
    }
  });

  test('validates the fields of the added handler type', async () => {
    const refused = await send('POST', '/api/notification-handlers', { name: 'x', type: 'ntfy', ntfy: 'x', ntfy_topic: 'a b' });
    expect(bodyOf(refused)).toMatchObject({
      errors: [{ source: { name: 'ntfy' } }, { detail: expect.stringContaining('an ntfy topic: 1 to 64 letters') as string }],
    });
    expect((await send('POST', '/api/notification-handlers', { name: 'x', type: 'email', ntfy_topic: 'a' })).status).toBe(400);
  });

  test('documents the collection and the handler type in OpenAPI', async () => {
    const document = JSON.stringify(bodyOf(await send('GET', '/openapi.json')));
    expect(document).toContain('ntfy_topic');
    expect(document).toMatch(/"sala-nome".*"salas-id".*SalasRecord/);
  });

  function send(method: string, path: string, form?: object): Promise<RawAnswer> {
    const headers = { Authorization: `Bearer ${key}`, ...(form && { 'Content-Type': 'application/json' }) };
    return sendRaw(port, { method, path, headers, body: form && Buffer.from(JSON.stringify(form)) });
  }

  function fileOf(collection: string, csv: string): string {
    const file = join(copy.folder, `${collection}.csv`);
    writeFileSync(file, csv);
    return file;
  }

  /** Runs commands of the copy in one process, since a start takes longer than they do. */
  async function frontdesk(...commands: string[][]): Promise<string> {
    const script = `const { runCommandLine } = require('./dist/src/programs/commands/command-line.js');
      void (async () => {
        for (const command of ${JSON.stringify(commands)}) await runCommandLine(['node', 'frontdesk', ...command]);
      })();`;
    writeFileSync(join(copy.folder, 'commands.cjs'), script);
    const ending = await copy.run('commands.cjs', [], database.env);
    expect(ending).toEqual({ ...ending, code: 0 });
    return ending.stdout;
  }
});

function bodyOf({ text }: RawAnswer): unknown {
  return JSON.parse(text);
}

function idOf(created: RawAnswer): number {
  expect(created.status).toBe(201);
  return (bodyOf(created) as { data: { id: number } }).data.id;
}

/** The test files that cover every entity, migration, collection or handler type, and this one. */
const AFFECTED =
  /\/(accounts-apart|authentication|command-line|demo|extending|migrations|notification-handlers|openapi|openapi-extension|paths|rate-limit|scheduling|scheduling-definitions|schema-drift|channels-table)\.(e2e-)?spec\.ts$/;

longTestOnce(
  'a project that follows docs/extend/ compiles and passes the existing tests',
  async () => {
    const copy = new ProjectCopy();
    try {
      copy.follow(COLLECTION);
      copy.follow(CHANNEL);
      expect(await copy.run('node_modules/typescript/bin/tsc', ['--noEmit'])).toEqual({ code: 0, stdout: '', stderr: '' });
      copy.build();
      const env = { TEST_SIZE: undefined, TEST_SERVER_IS_BUILT: 'yes' };
      const jest = await copy.run('node_modules/jest/bin/jest.js', [AFFECTED.source, '--selectProjects', 'sqlite', 'unit', '--json'], env);
      const { testResults } = JSON.parse(jest.stdout) as {
        testResults: { name: string; status: string; message: string }[];
      };
      const failures = testResults.filter(({ status }) => status === 'failed').map(({ message }) => message);
      expect([failures, testResults.length]).toEqual([[], 15]);
    } finally {
      copy.remove();
    }
  },
  600_000,
);
