// Runs the built application on a temporary embedded database. Needs no network.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApplication } from '../dist/src/programs/server/application.js';
import { Config } from '../dist/src/platform/config/config.js';

// A realistic address: the lint rules reject documents that point to localhost or example.com.
const PUBLIC_URL = 'https://frontdesk.test';

/** `work` gets the application, its address and a temporary folder. */
export async function withApplication(work, environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-openapi-'));
  try {
    const database = `sqlite:${join(folder, 'frontdesk.sqlite')}`;
    const given = { DATABASE_URL: database, PUBLIC_URL, LOG_LEVEL: 'error', DOMAIN_CHECKS: 'off', ...environment };
    const app = await createApplication(new Config(given));
    try {
      await app.listen(0, '127.0.0.1');
      return await work({ app, folder, address: await app.getUrl() });
    } finally {
      await app.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function fetchDocument(address) {
  const response = await fetch(`${address}/openapi.json`);
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}.`);
  return response.text();
}
