// Runs on SQLite.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDemoAccount } from '../../src/programs/demo/demo-account';
import { TestApplication } from '../support/application';
import { createDatabase } from '../support/database';
import { zone } from '../support/zone';

const DOCS = join(__dirname, '../../docs');
const PAGES = ['start', 'guides'].flatMap((folder) => readdirSync(join(DOCS, folder)).map((name) => `${folder}/${name}`));
const FIRST_MESSAGE = 'start/first-message.md';
const run = promisify(execFile);

/** What differs from run to run, as a pattern, by what stands for it in a page. */
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

test.each(PAGES.filter((page) => commandsOf(page).length > 0))('the commands in %s print the output shown there', async (page) => {
  const database = await createDatabase();
  const EDGE_TARGET = page === 'start/first-domain.md' ? 'edge.example.net' : undefined;
  const env = { PUBLIC_URL: 'http://localhost:3000', OUTBOUND_ALLOW: '127.0.0.1/32', DNS_SERVERS: zone.server.address, EDGE_TARGET };
  const application = await TestApplication.start({ ...database.env, ...env });
  try {
    const KEY = (await createDemoAccount(application.app))!;
    for (const { command, output } of [...(continues(page) ? commandsOf(FIRST_MESSAGE) : []), ...commandsOf(page)]) {
      if (/POST .*\/verification$/.test(command)) await prove(application.port, KEY, command);
      const here = command
        .replace('localhost:3000', `127.0.0.1:${application.port}`)
        .replace('127.0.0.1:9000', `127.0.0.1:${(receiver.address() as AddressInfo).port}`);
      const print = async () => (await run('bash', ['-c', here], { env: { PATH: process.env.PATH, KEY } })).stdout.trim();
      let printed = await print();
      const isRead = !/ -[FX] /.test(command); // may be asked again, until the service has sent what waited
      for (let tries = 1; isRead && tries < 100 && !patternOf(output).test(printed); tries++) {
        await pause(20);
        printed = await print();
      }
      expect(printed).toMatch(patternOf(output));
    }
  } finally {
    await application.stop();
    await database.drop();
  }
});

/** Whether a page says that its commands come after those of another. */
function continues(page: string): boolean {
  return readFileSync(join(DOCS, page), 'utf8').includes('continue [Send a first message](../start/first-message.md)');
}

/** The lines after `$ curl`, up to the next command or an empty line. Those that ask the edge need one. */
function commandsOf(page: string): Shown[] {
  const blocks = [...readFileSync(join(DOCS, page), 'utf8').matchAll(/^```\n(.*?)^```$/gms)].map(([, block]) => block);
  const found = blocks.flatMap((block) => [...block.matchAll(/^\$ (curl .*)\n((?:[^$\n].*\n)+)/gm)]);
  return found.map(([, command, output]) => ({ command, output: output.trim() })).filter(({ command }) => command.includes(':3000'));
}

function patternOf(output: string): RegExp {
  const marked = CHANGING.reduce((text, [changing], index) => text.replace(changing, `\0${index}\0`), output);
  const literal = marked.replace(/[.*+?^${}()|[\]\\]/g, (sign) => `\\${sign}`);
  return new RegExp(`^${literal.replace(/\0(\d+)\0/g, (_, index) => CHANGING[Number(index)][1])}$`, 's');
}

/** Sets the records that the service asks for, as the owner of the host would. */
async function prove(port: number, key: string, command: string): Promise<void> {
  const [path] = /\/api\/domains\/\d+\/verification$/.exec(command)!;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const { data } = (await response.json()) as { data: { records: { type: string; name: string; value: string }[] } };
  for (const { type, name, value } of data.records) zone.set(name, type, [value]);
  zone.set('edge.example.net', 'A', ['203.0.113.10']);
}
