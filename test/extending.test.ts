import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, onMysql, type TestDatabase } from './support/database';
import { REACH_LOOPBACK } from './support/deliveries';
import { ProjectCopy } from './support/project-copy';
import { type RawAnswer, sendRaw } from './support/raw-request';
import { Receiver } from './support/receiver';
import { ServerProcess } from './support/server-process';
import { longTest } from './support/size';

const COLLECTION = 'Add a scheduling collection';
const RESOURCE = 'Add a resource';
const JOB = 'Add a daily job';
const CHANNEL = 'Add a channel';

describe('whoever follows the recipes of docs/extending.md', () => {
  let copy: ProjectCopy;
  let database: TestDatabase;
  let server: ServerProcess | undefined;
  let port: number;
  let keys: string[];

  beforeAll(async () => {
    database = await createDatabase();
    copy = new ProjectCopy();
    expect(copy.follow(COLLECTION)).toHaveLength(5);
    expect(copy.follow(RESOURCE)).toHaveLength(8);
    expect(copy.follow(JOB)).toHaveLength(2);
    expect(copy.follow(CHANNEL)).toHaveLength(4);
    copy.build();
    const atendentes = fileOf('atendentes', 'atendentes_id,atendente_nome,atendente_cargo\n4,João,Barbeiro\n');
    const salas = fileOf(
      'salas',
      'salas_id,sala_nome,sala_disponivel,atendentes_id\n7,Espera,true,4\n9,ÁREA da espera,true,4\n8,Corte,false,4\n',
    );
    const printed = await frontdesk(
      ...['acme', 'other'].flatMap((account) => [
        ['accounts', 'create', account],
        ['keys', 'create', '--account', account, '--name', 'test'],
      ]),
      ['import', 'atendentes', atendentes, '--account', 'acme'],
      ['import', 'salas', salas, '--account', 'acme'],
    );
    keys = printed.match(/^fd_\w+$/gm)!;
    server = new ServerProcess({ ...database.env, ...REACH_LOOPBACK, DELIVERY_WAITS: '0', LOG_LEVEL: 'silent' }, copy.serverScript);
    port = await server.ready();
  });

  afterAll(async () => {
    server?.signal('SIGKILL');
    await server?.end();
    copy?.remove();
    await database?.drop();
  });

  test('has a sixth scheduling collection', async () => {
    const espera = { salas_id: 7, sala_nome: 'Espera', sala_disponivel: true, atendentes_id: 4, atendente_nome: 'João' };
    const area = { ...espera, salas_id: 9, sala_nome: 'ÁREA da espera' };
    const read = async (query: string) => bodyOf(await send('GET', `/scheduling?api=salas${query}`));
    expect(await read('&sala-nome=ESPERA&orderby=sala_nome')).toEqual({ data: [area, espera] });
    expect(await read('&atendente-nome=joao&orderby=sala-nome&sort=desc')).toEqual({ data: [espera, area] });
    expect(await read('&salas-id=7')).toEqual({ data: espera });
    expect(await read('&orderby=cor')).toMatchObject({ errors: [{ code: 'invalid_parameter' }] });
  });

  test('has a resource that is created, listed, read, updated and deleted', async () => {
    const created = await send('POST', '/api/coupons', { code: 'SPRING10', percent: 10 });
    const id = idOf(created);
    const path = `/api/coupons/${id}`;
    expect([created.status, created.headers.location]).toEqual([201, expect.stringMatching(`${path}$`)]);

    const coupon = { id, code: 'SPRING10', percent: 10, is_single_use: false, last_datetime: null, datetime: expect.any(String) as string };
    expect(bodyOf(await send('GET', path))).toEqual({ data: coupon });
    expect(bodyOf(await send('GET', '/api/coupons'))).toMatchObject({ data: [coupon], meta: { total: 1 } });
    expect(bodyOf(await send('GET', '/api/coupons?code=spring&percent=10&orderby=code'))).toMatchObject({ data: [coupon] });
    expect(bodyOf(await send('GET', '/api/coupons?code=summer'))).toMatchObject({ data: [] });

    expect(bodyOf(await send('POST', path, { percent: 15, is_single_use: true }))).toEqual({ data: { id } });
    const changed = { ...coupon, percent: 15, is_single_use: true, last_datetime: expect.any(String) as string };
    expect(bodyOf(await send('GET', path))).toEqual({ data: changed });

    for (const [method, form] of [['GET'], ['POST', { percent: 20 }], ['DELETE']] as const) {
      expect((await send(method, path, form, keys[1])).status).toBe(404);
    }
    expect(bodyOf(await send('DELETE', path))).toEqual({ data: { id } });
    expect((await send('GET', path)).status).toBe(404);
  });

  test('has its form checked', async () => {
    const refused = await send('POST', '/api/coupons', { percent: 101, colour: 'red' });
    expect(refused.status).toBe(400);
    expect(bodyOf(refused)).toMatchObject({
      errors: [
        { code: 'unknown_parameter', source: { in: 'form', name: 'colour' } },
        { code: 'missing_parameter', source: { in: 'form', name: 'code' } },
        { code: 'invalid_parameter', detail: 'percent must be an integer from 1 to 100.' },
      ],
    });
  });

  test('has a job that runs once a day, in one of two processes', async () => {
    writeFileSync(join(copy.folder, 'days.cjs'), ONE_DAY_OF_A_PROCESS);
    const env = { ...database.env, PUBLIC_URL: 'https://frontdesk.test', LOG_LEVEL: 'silent', METRICS_PORT: '1' };
    const today = Date.now(); // the server has run it
    for (const day of [1, 2, 3]) {
      const MIDNIGHT = String(today + day * 86_400_000);
      const endings = await Promise.all([1, 2].map(() => copy.run('days.cjs', [], { ...env, MIDNIGHT })));
      expect(endings.map(({ code, stdout, stderr }) => [code, Number(stdout), stderr]).sort()).toEqual([
        [0, 0, ''],
        [0, 1, ''],
      ]);
    }
  });

  test('has handlers of a tenth type, which deliver', async () => {
    const receiver = await Receiver.start();
    try {
      receiver.answer = (response) => void (receiver.requests.length === 1 ? response.writeHead(503).end() : response.end('{}'));
      const settings = { ntfy: receiver.url(), ntfy_topic: 'night-shift-x7Kq' };
      const handler = idOf(await send('POST', '/api/notification-handlers', { name: 'Night shift', type: 'ntfy', ...settings }));
      const message = { title: 'Closed', text: 'é'.repeat(4_000), url: 'https://example.com/hours', handler_ids: String(handler) };
      idOf(await send('POST', '/api/messages', message));
      const bodies = (await receiver.received(2)).map(({ body }) => JSON.parse(body) as object);
      const published = { topic: settings.ntfy_topic, title: 'Closed', message: `${'é'.repeat(2_046)}…`, click: message.url };
      expect(bodies).toEqual([published, published]);
      expect(bodyOf(await send('GET', `/api/notification-handlers/${handler}`))).toMatchObject({ data: { type: 'ntfy', settings } });
    } finally {
      await receiver.stop();
    }
  });

  test('has the fields of the tenth type checked', async () => {
    const refused = await send('POST', '/api/notification-handlers', { name: 'x', type: 'ntfy', ntfy: 'x', ntfy_topic: 'a b' });
    expect(bodyOf(refused)).toMatchObject({
      errors: [{ source: { name: 'ntfy' } }, { detail: expect.stringContaining('an ntfy topic: 1 to 64 letters') as string }],
    });
    expect((await send('POST', '/api/notification-handlers', { name: 'x', type: 'email', ntfy_topic: 'a' })).status).toBe(400);
  });

  test('finds everything in the OpenAPI document', async () => {
    const { paths, tags } = bodyOf(await send('GET', '/openapi.json')) as { paths: object; tags: object[] };
    expect(JSON.stringify(paths)).toContain('ntfy_topic');
    expect(JSON.stringify(paths)).toMatch(/"sala-nome".*"salas-id".*SalasRecord/);
    expect(paths).toMatchObject({ '/api/coupons': { get: {}, post: {} }, '/api/coupons/{coupon_id}': { get: {}, post: {}, delete: {} } });
    expect(tags).toContainEqual({ name: 'Coupons', description: 'The routes of Coupons.' });
  });

  function send(method: string, path: string, form?: object, key = keys[0]): Promise<RawAnswer> {
    const headers = { Authorization: `Bearer ${key}`, ...(form && { 'Content-Type': 'application/json' }) };
    return sendRaw(port, { method, path, headers, body: form && Buffer.from(JSON.stringify(form)) });
  }

  function fileOf(collection: string, csv: string): string {
    const file = join(copy.folder, `${collection}.csv`);
    writeFileSync(file, csv);
    return file;
  }

  /** Runs commands of the copy one after another, in one process: its start takes longer than they do. */
  async function frontdesk(...commands: string[][]): Promise<string> {
    const script = `const { runCommandLine } = require('./dist/src/commands/command-line.js');
      void (async () => {
        for (const command of ${JSON.stringify(commands)}) await runCommandLine(['node', 'frontdesk', ...command]);
      })();`;
    writeFileSync(join(copy.folder, 'commands.cjs'), script);
    const ending = await copy.run('commands.cjs', [], database.env);
    expect(ending).toEqual({ ...ending, code: 0 });
    return ending.stdout;
  }
});

/** Polls four times within a day, and prints how often this process has run the job. */
const ONE_DAY_OF_A_PROCESS = `
  const { createApplication } = require('./dist/src/bootstrap/application.js');
  const { Clock } = require('./dist/src/common/clock.js');
  const { Config } = require('./dist/src/config/config.js');
  const { Schedule } = require('./dist/src/jobs/schedule.js');
  const { Metrics } = require('./dist/src/observability/metrics.js');
  void (async () => {
    let hours = 1;
    Clock.prototype.now = () => Number(process.env.MIDNIGHT) + hours * 3_600_000; // before the schedule begins by itself
    const app = await createApplication(new Config(process.env));
    for (; hours < 24; hours += 6) await app.get(Schedule).runDue();
    const metrics = await app.get(Metrics).registry.metrics();
    console.log(/^frontdesk_job_runs_total.job="old-coupons",result="done". (.*)$/m.exec(metrics)?.[1] ?? 0);
    await app.close();
  })();
`;

function bodyOf({ text }: RawAnswer): unknown {
  return JSON.parse(text);
}

function idOf(created: RawAnswer): number {
  expect(created.status).toBe(201);
  return (bodyOf(created) as { data: { id: number } }).data.id;
}

/** The test files that cover every route, scope, entity, migration, collection or handler type, and this one, which an extension has, too. */
const AFFECTED =
  /test\/(accounts-apart|authentication|command-line|demo|extending|migrations|notification-handlers|openapi|openapi-extension|paths|rate-limit|scheduling|scheduling-definitions|schema-drift|unit\/channels-table)\.test\.ts$/;

const onceForAll = onMysql ? test.skip : longTest;

onceForAll(
  'after the recipes the source compiles and the existing tests are green',
  async () => {
    const copy = new ProjectCopy();
    try {
      copy.follow(COLLECTION);
      copy.follow(RESOURCE);
      copy.follow(JOB);
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
