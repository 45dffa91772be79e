import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../../src/platform/config/config';

const textOf = (file: string) => readFileSync(join(__dirname, '../../..', file), 'utf8');

/** All variables that the service reads. */
const VARIABLES = new Set<string>();
new Config(new Proxy({}, { get: (_, name) => void VARIABLES.add(String(name)) }));

/** Fixed in a container: all addresses, the bundled database, no demo account; files have to be mounted. */
const NOT_OF_COMPOSE = ['HOST', 'DEMO', 'NODE_ENV', 'DATABASE_URL_FILE', 'SECRETS_KEY_FILE', 'SMTP_URL_FILE', 'TWILIO_AUTH_TOKEN_FILE'];

test('.env.example lists all variables and no others', () => {
  const shown = [...textOf('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(shown.sort()).toEqual([...VARIABLES].sort());
});

test('compose.yaml passes on every variable that applies to a container', () => {
  const service = textOf('compose.yaml').split(/^ {2}mysql:$/m)[0];
  const passed = [...service.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name]) => name);
  expect([...passed, ...NOT_OF_COMPOSE].sort()).toEqual([...VARIABLES].sort());
});

test('the documented commands for MySQL use the same secrets key at every start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-readme-'));
  const printed = `node -p 'JSON.stringify(process.env)'`;
  const [once, start] = /^```\n(.*\n)?(DATABASE_URL=mysql.*npm start)\n```$/m.exec(textOf('docs/start/install.md'))!.slice(1);
  const run = (command: string) => execFileSync('bash', ['-c', command.replace('npm start', printed)], { cwd: folder, encoding: 'utf8' });
  const keys = () => {
    const { DATABASE_URL, SECRETS_KEY, SECRETS_KEY_FILE } = JSON.parse(run(start)) as Record<string, string | undefined>;
    return new Config({ DATABASE_URL, SECRETS_KEY, SECRETS_KEY_FILE: SECRETS_KEY_FILE && join(folder, SECRETS_KEY_FILE) }).secretsKeys;
  };
  try {
    run(once ?? ':');
    expect(keys()).toEqual(keys());
    expect(statSync(join(folder, 'secrets.key')).mode & 0o077).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
