/** @mysql whole */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorEvents } from '../../src/events/operator-events';
import { type TestAccount, useApplication } from '../support/http/application';
import { until } from '../support/jest/clock';
import { DOMAINS, newHost } from '../support/areas/records';

const GUIDES = join(__dirname, '../../docs/guides');
const NO_JQ = 'The loop with curl and jq was not run: install jq.';
const hasJq = spawnSync('jq', ['--version']).status === 0;
if (!hasJq && process.env.CI !== 'true') process.stderr.write(`\n${NO_JQ}\n`);

const { application } = useApplication();

describe.each([
  ['bash', 'copy-with-curl.md', 'copy.sh', 'bash'],
  ['js', 'sync-by-events.md', 'copy.mjs', process.execPath],
])('sync loop of the guide in %s', (language, page, file, command) => {
  const run = language === 'bash' && !hasJq && process.env.CI !== 'true' ? test.skip : test;
  let folder: string;
  let account: TestAccount;
  let loop: ReturnType<typeof spawn>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'copies-'));
    account = await application().createAccount();
    const [, script] = new RegExp(`\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(readFileSync(join(GUIDES, page), 'utf8'))!;
    writeFileSync(join(folder, file), script.replace('localhost:3000', `127.0.0.1:${application().port}`));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const start = () => (loop = spawn(command, [file], { cwd: folder, env: { PATH: process.env.PATH, KEY: account.key }, detached: true }));
  const kill = async () => {
    process.kill(-loop.pid!, 'SIGKILL'); // its curl, too
    await once(loop, 'close');
  };
  /** Undefined while the loop writes. */
  const copied = () => {
    try {
      const files = readdirSync(join(folder, 'copy')).filter((name) => name.endsWith('.json'));
      const records = files.map((name) => JSON.parse(readFileSync(join(folder, 'copy', name), 'utf8')) as { id: number });
      return records.sort((one, other) => one.id - other.id);
    } catch {
      return undefined;
    }
  };
  const expectCopied = async () => {
    const { body } = await account.client.get(`${DOMAINS}?results_per_page=1000`).expect(200);
    await until(copied, (records) => JSON.stringify(records) === JSON.stringify((body as { data: object }).data));
  };
  const change = async () => {
    const [one, two, three] = [
      await account.client.create(DOMAINS, { host: newHost() }),
      await account.client.create(DOMAINS, { host: newHost() }),
      await account.client.create(DOMAINS, { host: newHost(), custom_index_url: 'https://example.com/%5C?x=1' }),
    ];
    await account.client.post(`${DOMAINS}/${one}`, { scheme: 'http://' }).expect(200);
    await account.client.delete(`${DOMAINS}/${two}`).expect(200);
    return three;
  };

  run('a synchronized copy equals the list, also after a kill and an expired cursor', async () => {
    const first = await change();
    start();
    try {
      await expectCopied();
      await change();
      await expectCopied();
      await kill();
      await account.client.delete(`${DOMAINS}/${first}`).expect(200);
      await change();
      start();
      await expectCopied();
      await application().app.get(OperatorEvents).reset();
      await change();
      await expectCopied();
    } finally {
      await kill();
    }
  });
});
