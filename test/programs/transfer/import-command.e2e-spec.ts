/** @mysql whole */
import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { AccountsService } from '../../../src/auth/accounts/accounts.service';
import { useApplication } from '../../support/http/application';
import { CLI_SCRIPT } from '../../support/jest/build';
import { type Outcome, runCommand } from '../../support/areas/command';
import { NOTIFICATIONS } from '../../support/areas/records';
import { SCHEDULING } from '../../support/areas/scheduling-interface';
import { longTest } from '../../support/jest/size';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const { application, database } = useApplication();
const BATCH = 25_600;
const MANY = 16 * BATCH; // so that a slow poll of the count still finds it running

const { path } = useTemporaryFolder();
let account: { id: number; name: string };
let accounts = 0;

beforeEach(async () => {
  const name = `imports ${++accounts}`;
  account = { id: (await application().app.get(AccountsService).create(name)).id, name };
});

function run(argv: string[], input?: string | Buffer): Promise<Outcome> {
  return runCommand(database().env, [...argv, '--account', account.name], { folder: path(), input });
}

function file(name: string, content: string | Buffer): string {
  writeFileSync(path(name), content);
  return name;
}

async function count(): Promise<number> {
  const sql = 'SELECT COUNT(*) AS kept FROM horarios WHERE account_id = ?';
  const [row] = await application().dataSource.query<{ kept: number }[]>(sql, [account.id]);
  return Number(row.kept);
}

const read = (name: string) => readFileSync(path(name), 'utf8');

/** Sends the signal to an import in a process of its own, once it has committed more than `after` records. */
async function interrupt(name: string, signal: NodeJS.Signals, after = 0): Promise<{ code: number | null; stderr: string }> {
  const argv = [CLI_SCRIPT, 'import', 'horarios', name, '--account', account.name];
  const child = spawn(process.execPath, argv, { cwd: path(), env: { ...database().env } });
  let stderr = '';
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const end = once(child, 'close');
  while (child.exitCode === null && (await count()) <= after) await sleep(10);
  child.kill(signal);
  await end;
  return { code: child.exitCode, stderr };
}

test('import reads a file, gzip and standard input, and export writes the same records', async () => {
  const name = file('a.csv', 'horario_id;horario_disponivel\n09:00;Sim\n10:00;Não\n');
  expect(await run(['import', 'horarios', name])).toEqual({ code: 0, stdout: '', stderr: '2 read, 2 inserted, 0 updated, 0 bad.\n' });
  const exported = await run(['export', 'horarios', '--format', 'ndjson']);
  expect(exported).toMatchObject({ code: 0, stderr: 'Exported 2 records.\n' });
  expect(exported.stdout).toMatch(/^{"horarios_id":\d+,"horario_id":"09:00","horario_disponivel":true}\n.*"10:00".*false}\n$/);
  expect(await run(['import', 'horarios', '-', '--format', 'ndjson', '--json'], exported.stdout)).toEqual({
    code: 0,
    stdout: '{"read":2,"inserted":0,"updated":2,"bad":0}\n',
    stderr: '2 read, 0 inserted, 2 updated, 0 bad.\n',
  });
  expect(await run(['export', 'horarios', '--output', 'again.json.gz'])).toEqual({ code: 0, stdout: '', stderr: 'Exported 2 records.\n' });
  expect(gunzipSync(readFileSync(path('again.json.gz'))).toString()).toMatch(/^\[\n{.*},\n{.*}\n\]\n$/);
  expect(await run(['import', 'horarios', 'again.json.gz'])).toMatchObject({ code: 0, stderr: '2 read, 0 inserted, 2 updated, 0 bad.\n' });
});

test('import reads a list response of the API', async () => {
  const { client } = await application().createKey(account.id);
  file('c.csv', 'campaign_id,name\n4101,A');
  file('n.csv', `campaign_id;notification_key;name;type;settings\n4101;${'d'.repeat(32)};Oi;INFO;"{""a"":1}"`);
  file('s.csv', 'servicos_id,servico_nome\n4201,Coloração\n4202,Corte');
  file('t.csv', 'atendentes_id,atendente_nome,atendente_cargo\n4301,Júlia,Chefe');
  file('a.csv', 'nome,telefone,data_hora,servicos_id,atendentes_id\nJoão,1,2026-11-21T10:00:00,4201,4301');
  const names = { c: 'campaigns', n: 'notifications', s: 'servicos', t: 'atendentes', a: 'agendamentos' };
  for (const [name, collection] of Object.entries(names)) {
    expect(await run(['import', collection, `${name}.csv`])).toMatchObject({ stderr: expect.stringContaining(' 0 bad.') as string });
  }
  for (const [collection, list] of Object.entries({ notifications: NOTIFICATIONS, agendamentos: `${SCHEDULING}?api=agendamentos` })) {
    const { text } = await client.get(list).expect(200);
    const count = (JSON.parse(text) as { data: object[] }).data.length;
    expect(await run(['import', collection, file('list.json', text)])).toEqual({
      code: 0,
      stdout: '',
      stderr: `${count} read, 0 inserted, ${count} updated, 0 bad.\n`,
    });
  }
  expect(await run(['import', 'servicos', file('record.json', '{"servico_nome":"A"}')])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('neither a JSON array nor an object whose data is one') as string,
  });
});

test('export --excel writes CSV for spreadsheets, which import reads', async () => {
  await run(['import', 'horarios', file('excel.csv', "horario_id;horario_disponivel\n'+1;S\n")]);
  const { code, stdout } = await run(['export', 'horarios', '--excel']);
  expect([code, stdout.replace(/\d{2,}|\d(?=;')/, 'id')]).toEqual([
    0,
    "\uFEFFhorarios_id;horario_id;horario_disponivel\r\nid;'+1;true\r\n",
  ]);
  expect(await run(['export', 'horarios', '--excel', '--output', 'excel.csv.gz'])).toMatchObject({ code: 0 });
  expect(gunzipSync(readFileSync(path('excel.csv.gz'))).toString()).toBe(stdout);
  expect(await run(['import', 'horarios', 'excel.csv.gz'])).toMatchObject({ code: 0, stderr: '1 read, 0 inserted, 1 updated, 0 bad.\n' });
});

test('import --dry-run writes nothing', async () => {
  const name = file('dry.csv', 'horario_id\n09:00\n');
  expect(await run(['import', 'horarios', name, '--dry-run'])).toEqual({
    code: 0,
    stdout: '',
    stderr: '1 read, nothing was imported, 0 bad.\n',
  });
  expect(await count()).toBe(0);
});

test('import rejects a file with a bad record; --skip-bad rejects only that record', async () => {
  const name = file('agenda.csv', 'horario_id,horario_disponivel\n09:00,1\n10:00,talvez\n11:00,1\n');
  const problem = 'record 2: horario_disponivel must be one of true, false, Sim, Não, Nao, 1, 0.\n';
  const stdout = '{"read":3,"inserted":0,"updated":0,"bad":1}\n';
  expect(await run(['import', 'horarios', name, '--json'])).toEqual({
    code: 1,
    stdout,
    stderr: `${problem}3 read, nothing was imported, 1 bad.\n`,
  });
  expect(await count()).toBe(0);
  expect(await run(['import', 'horarios', name, '--skip-bad'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `${problem}3 read, 2 inserted, 0 updated, 1 bad, written to agenda.bad.csv.\n`,
  });
  const bad = read('agenda.bad.csv');
  expect(bad).toBe('horario_id,horario_disponivel\n10:00,talvez\n');
  expect(await run(['import', 'horarios', file('agenda.bad.csv', bad.replace('talvez', 'Não'))])).toMatchObject({ code: 0 });
  expect(await count()).toBe(3);
});

test('import --skip-bad replaces an existing file of bad records only with --bad', async () => {
  const bad = (name: string) => file(name, 'horario_id,horario_disponivel\n09:00,talvez\n');
  const imports = async (...argv: string[]) => (await run(['import', 'horarios', ...argv, '--skip-bad'])).stderr;
  file('twin.bad.csv', 'being corrected');
  expect(await imports(bad('twin.csv'))).toContain('written to twin.bad-2.csv.\n');
  expect(await imports(bad('twin.tsv'))).toContain('written to twin.bad-3.csv.\n');
  expect(['twin.bad.csv', 'twin.bad-2.csv', 'twin.bad-3.csv'].map(read)).toEqual(['being corrected', read('twin.csv'), read('twin.tsv')]);
  expect(await imports('twin.csv', '--bad', 'twin.bad.csv')).toContain('written to twin.bad.csv.\n');
  expect(read('twin.bad.csv')).toBe(read('twin.csv'));
  expect(await imports(bad('twin.v2.txt'), '--format', 'csv')).toContain('written to twin.v2.txt.bad.csv.\n');
  expect(readdirSync(path()).filter((name) => name.endsWith('.part'))).toEqual([]);
});

describe('an output file', () => {
  const VICTIM = 'of another user';
  const parts = () => readdirSync(path()).filter((name) => name.endsWith('.part'));
  const linkTo = (victim: string, ...names: string[]) => {
    file(victim, VICTIM);
    for (const name of names) symlinkSync(victim, path(name));
  };

  test('is not written through a symbolic link, nor blocked by the files of a killed command', async () => {
    linkTo('victim-1', 'out.csv.part', `bad.csv.${process.pid}.part`);
    const input = file('linked.csv', 'horario_id,horario_disponivel\n09:00,Sim\n10:00,talvez\n');
    expect(await run(['import', 'horarios', input, '--skip-bad', '--bad', 'bad.csv'])).toMatchObject({ code: 1 });
    expect(await run(['export', 'horarios', '--output', 'out.csv'])).toMatchObject({ code: 0, stderr: 'Exported 1 record.\n' });
    expect([read('victim-1'), read('bad.csv').includes('talvez'), read('out.csv').includes('09:00')]).toEqual([VICTIM, true, true]);
    expect(statSync(path('out.csv')).mode & 0o777).toBe(0o600);
    expect(parts()).toEqual(expect.arrayContaining([expect.stringMatching(/^out/), expect.stringMatching(/^bad/)]));
    parts().forEach((name) => rmSync(path(name)));
  });

  test('is not written to an existing temporary file, even if its random name was guessed', async () => {
    jest.spyOn(crypto, 'randomBytes').mockImplementation((size: number) => Buffer.alloc(size));
    linkTo('victim-2', 'guessed.csv.000000000000.part');
    const { code, stderr } = await run(['export', 'horarios', '--output', 'guessed.csv']);
    expect([code, stderr.split(':')[1], read('victim-2'), parts()]).toEqual([1, ' EEXIST', VICTIM, ['guessed.csv.000000000000.part']]);
    parts().forEach((name) => rmSync(path(name)));
  });
});

test.each([
  [['import', 'horarios', '-'], /^frontdesk: Standard input needs a --format: csv, ndjson, json\./],
  [['import', 'horarios', 'nowhere.csv'], /^frontdesk: nowhere\.csv can't be opened: ENOENT\./],
  [['import', 'horarios', 'cut.csv.gz'], /^frontdesk: The gzip data is corrupt or truncated\./],
  [['export', 'horarios', '--output', 'nowhere/a.csv'], /^frontdesk: ENOENT/],
  [['export', 'horarios', '--excel', '--output', 'a.json'], /^frontdesk: --excel writes CSV, not json\./],
  [['export', 'horarios', '--excel', '--format', 'ndjson'], /^frontdesk: --excel writes CSV, not ndjson\./],
])('%j exits with 1 and one line on standard error', async (argv, line) => {
  file('cut.csv.gz', gzipSync(`horario_id\n${'09:00\n'.repeat(1_000)}`).subarray(0, 40));
  const { code, stdout, stderr } = await run(argv);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd()).not.toContain('\n');
});

longTest(
  'a killed or interrupted import commits whole batches, and importing again completes it',
  async () => {
    const first = 1_000_000;
    const name = file('many.csv', `horarios_id,horario_id\n${Array.from({ length: MANY }, (_, at) => `${first + at},${at}\n`).join('')}`);
    expect(await interrupt(name, 'SIGKILL')).toMatchObject({ code: null });
    const killed = await count();
    expect([killed % BATCH, killed < MANY]).toEqual([0, true]);

    let kept = killed;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const { code, stderr } = await interrupt(name, signal, kept);
      kept = await count();
      expect(code).toBe(1);
      expect(stderr).toContain(`frontdesk: Interrupted. ${kept} of ${MANY} records were imported. Run the import again for the rest.\n`);
    }

    expect((await run(['import', 'horarios', name])).stderr).toContain(`${MANY} read, ${MANY - kept} inserted, ${kept} updated, 0 bad.\n`);
    expect(await count()).toBe(MANY);
  },
  400_000,
);
