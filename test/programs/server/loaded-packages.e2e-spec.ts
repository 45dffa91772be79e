/** @mysql whole */
import { readdirSync, readFileSync } from 'node:fs';
import { createDatabase, onMysql } from '../../support/servers/database';
import { ServerProcess } from '../../support/servers/server-process';
import { longTest } from '../../support/jest/size';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

/** Needed by some requests, jobs or commands, never by the first. */
const LATE = ['commander', 'csv-parse', 'ioredis', 'nodemailer', 'rate-limiter-flexible', 'stream-json', 'tldts'];
const [DRIVER, OTHER_DRIVER] = onMysql ? ['mysql2', 'libsql'] : ['libsql', 'mysql2'];

const coverage = useTemporaryFolder();

/** The packages whose scripts Node ran, by its coverage report. */
function loadedPackages(): Set<string> {
  const reports = readdirSync(coverage.path()).map((name) => readFileSync(coverage.path(name), 'utf8'));
  return new Set(reports.flatMap((report) => Array.from(report.matchAll(/node_modules\/((?:@[\w-]+\/)?[\w.-]+)\//g), ([, name]) => name)));
}

longTest('the start loads no package that only later work needs', async () => {
  const database = await createDatabase();
  const server = new ServerProcess({ ...database.env, NODE_V8_COVERAGE: coverage.path() });
  try {
    await server.ready();
    await server.stop();
  } finally {
    server.signal('SIGKILL');
    await server.end();
    await database.drop();
  }
  const loaded = loadedPackages();
  expect([...loaded]).toEqual(expect.arrayContaining(['@nestjs/core', 'typeorm', DRIVER]));
  expect([...LATE, OTHER_DRIVER].filter((name) => loaded.has(name))).toEqual([]);
});
