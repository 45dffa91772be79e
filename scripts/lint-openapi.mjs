// Lints the OpenAPI document that the built application serves. Needs no network and leaves nothing behind.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApplication } from '../dist/src/application.js';
import { Config } from '../dist/src/config.js';

// An address such as a server has: the rules refuse a document that leads to localhost or example.com.
const PUBLIC_URL = 'https://frontdesk.test';
const REDOCLY = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
const RULES = fileURLToPath(new URL('../redocly.yaml', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'frontdesk-openapi-'));
try {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await servedDocument());
  process.exitCode = lint(file);
} finally {
  rmSync(folder, { recursive: true });
}

async function servedDocument() {
  const database = `sqlite:${join(folder, 'frontdesk.sqlite')}`;
  const app = await createApplication(new Config({ DATABASE_URL: database, PUBLIC_URL, LOG_LEVEL: 'error' }));
  try {
    await app.listen(0, '127.0.0.1');
    const response = await fetch(`${await app.getUrl()}/openapi.json`);
    if (!response.ok) throw new Error(`/openapi.json answered ${response.status}.`);
    return await response.text();
  } finally {
    await app.close();
  }
}

function lint(file) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, error } = spawnSync(process.execPath, [REDOCLY, 'lint', file, '--config', RULES], { stdio: 'inherit', env });
  if (error) throw error;
  return status ?? 1;
}
