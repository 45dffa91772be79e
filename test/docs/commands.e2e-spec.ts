/** @mysql never */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDemoAccount } from '../../src/programs/demo/demo-account';
import { TestApplication } from '../support/http/application';
import { createDatabase, type TestDatabase } from '../support/servers/database';
import { zone } from '../support/areas/zone';
import { sized } from '../support/jest/size';

const DOCS = join(__dirname, '../../docs');
/** In the order of the menu. */
const PAGES = [...readFileSync(join(DOCS, 'index.md'), 'utf8').matchAll(/\]\(((?:start|guides)\/[\w-]+\.md)\)$/gm)].map(([, page]) => page);
const run = promisify(execFile);

/** What differs from run to run: its form in a page, and the pattern that it must match. */
const CHANGING: [RegExp, string][] = [
  [/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d/g, String.raw`[\d: -]{19}`],
  [/(?<=duration_ms":)\d+/g, String.raw`\d+`],
  [/whsec_[\w+/]+=*/g, 'whsec_[\\w+/]+=*'],
  [/(?<=frontdesk=)\w+/g, String.raw`\w+`],
  [/(?<="notification_key":")\w+/g, String.raw`\w+`],
  [/evt_\w+/g, String.raw`evt_\w+`],
  [/[0-9a-f]{8}-[0-9a-f-]{27}/g, '[0-9a-f-]{36}'],
  [/(?<="next":")\w+…/g, String.raw`[\w-]+`],
  [/…/g, '.*'],
];

interface Shown {
  /** The variable that the output is assigned to. */
  name?: string;
  command: string;
  output: string;
}

let receiver: Server;
beforeAll(() =>
  once(
    (receiver = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()))).listen(
      0,
      '127.0.0.1',
    ),
    'listening',
  ),
);
afterAll(() => new Promise((resolve) => receiver.close(resolve)));

/** As for a reader who follows the menu: one database, one service, one shell. */
const service = {} as { database: TestDatabase; application: TestApplication };
const variables: Record<string, string> = {};

beforeAll(async () => {
  service.database = await createDatabase();
  const outbound = { OUTBOUND_ALLOW: '127.0.0.1/32', DNS_SERVERS: zone.server.address, DOMAIN_CHECKS: 'off' };
  const env = { PUBLIC_URL: 'http://localhost:3000', EDGE_TARGET: 'edge.example.net', ...outbound };
  service.application = await TestApplication.start({ ...service.database.env, ...env });
  variables.KEY = (await createDemoAccount(service.application.app))!;
});

afterAll(async () => {
  await service.application.stop();
  await service.database.drop();
});

const withCommands = PAGES.filter((page) => commandsOf(page).length > 0);

// A page may use what those before it created.
test.each(withCommands.slice(0, sized(4, withCommands.length)))('the commands in %s print the output shown there', async (page) => {
  for (const { name, command, output } of commandsOf(page)) {
    const { port } = service.application;
    if (/POST .*\/verification$/.test(command)) await prove(port, command);
    const here = command
      .replaceAll('localhost:3000', `127.0.0.1:${port}`)
      .replace('127.0.0.1:9000', `127.0.0.1:${(receiver.address() as AddressInfo).port}`);
    const pattern = name ? /^\d+$/ : patternOf(output);
    let printed = await shell(here);
    const isRead = !/ -[FX] /.test(command); // can be repeated until the service has sent what is pending
    for (let tries = 1; isRead && tries < 100 && !pattern.test(printed); tries++) {
      await pause(20);
      printed = await shell(here);
    }
    expect(printed).toMatch(pattern);
    if (name) variables[name] = printed;
  }
});

const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;

// The PHP and the receivers of guides/python-and-php.md are not run: they need PHP, and port 9000.
(HAS_PYTHON ? test : test.skip)('the Python of guides/python-and-php.md calls the service', async () => {
  const page = readFileSync(join(DOCS, 'guides/python-and-php.md'), 'utf8');
  const blocks = [...page.matchAll(/^```python\n(.*?)^```$/gms)].map(([, block]) => block);
  const code = blocks.filter((block) => !block.includes('HTTPServer')).join('\n');
  const env = { PATH: process.env.PATH, FRONTDESK_URL: `http://127.0.0.1:${service.application.port}`, KEY: variables.KEY };
  expect((await run('python3', ['-c', code], { env })).stdout).toContain('www.barbearia-central.example.com\n');
});

async function shell(command: string): Promise<string> {
  return (await run('bash', ['-c', command], { env: { PATH: process.env.PATH, ...variables } })).stdout.trim();
}

/** Each `$ curl` or `$ NAME=$(curl …)` to the service with its output, which ends at the next command or an empty line. */
function commandsOf(page: string): Shown[] {
  const blocks = [...readFileSync(join(DOCS, page), 'utf8').matchAll(/^```\n(.*?)^```$/gms)].map(([, block]) => block);
  const found = blocks.flatMap((block) => [...block.matchAll(/^\$ (?:(\w+)=\$\()?(curl .*?)\)?\n((?:[^$\n].*\n)*)/gm)]);
  const shown = found.map(([, name, command, output]) => ({ name, command, output: output.trim() }));
  return shown.filter(({ command }) => command.includes(':3000'));
}

function patternOf(output: string): RegExp {
  const marked = CHANGING.reduce((text, [changing], index) => text.replace(changing, `\0${index}\0`), output);
  const literal = marked.replace(/[.*+?^${}()|[\]\\]/g, (sign) => `\\${sign}`);
  return new RegExp(`^${literal.replace(/\0(\d+)\0/g, (_, index) => CHANGING[Number(index)][1])}$`, 's');
}

/** Sets the DNS records that verification requires, as the owner of the host would. */
async function prove(port: number, command: string): Promise<void> {
  const path = await shell(`echo "${/\/api\/domains\/\S+\/verification$/.exec(command)![0]}"`);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${variables.KEY}` } });
  const { data } = (await response.json()) as { data: { records: { type: string; name: string; value: string }[] } };
  for (const { type, name, value } of data.records) zone.set(name, type, [value]);
  zone.set('edge.example.net', 'A', ['203.0.113.10']);
}
