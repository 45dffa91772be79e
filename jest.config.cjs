const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const COMPILER = require('./test/support/jest/compiler.cjs');
const { findMysqlServer } = require('./test/support/servers/mysql-binary.cjs');

/** All but @nestjs/typeorm, which remembers in a static field which data sources an application has named. */
const PACKAGES = '/node_modules/(?!@nestjs/typeorm/).+\\.[cm]?js$';

/** What every project shares: our TypeScript goes through swc, packages are loaded by Node. */
const shared = {
  id: 'frontdesk', // one cache of transforms for all projects: a first run took 80 s more
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/jest/process-environment.cjs',
  restoreMocks: true,
  moduleNameMapper: {
    '^frontdesk$': '<rootDir>/src/public.ts',
    '^frontdesk/testing$': '<rootDir>/src/programs/sandbox/testing.ts', // what an extension of a test imports
    '^(\\.{1,2}/.+)\\.js$': '$1', // files that are loaded late: import() names them as Node finds them
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bench/'],
  transform: {
    [PACKAGES]: '<rootDir>/test/support/jest/native-package.cjs',
    '^.+\\.[cm]?[jt]s$': ['@swc/jest', { ...COMPILER, sourceMaps: 'inline' }],
  },
  transformIgnorePatterns: ['/node_modules/(@jest/|jest|@swc/jest/)'],
};

/** The docblock of an end-to-end file says when it runs on MySQL, too: never if it writes no records, which useApplication() checks. */
const PRAGMA = /^\/\*\* @mysql (always|whole|never) \*\/\n/;

/** The files that run on MySQL then. @throws Error for a file that doesn't say when it does */
function onMysql(...times) {
  const files = readdirSync(join(__dirname, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.e2e-spec.ts'));
  return files.map((name) => join(__dirname, 'test', name)).filter((file) => times.includes(timeOf(file)));
}

function timeOf(file) {
  const [, time] = PRAGMA.exec(readFileSync(file, 'utf8')) ?? [];
  if (!time)
    throw new Error(`${file}: the first line must be /** @mysql always */, /** @mysql whole */ (in the whole run) or /** @mysql never */.`);
  return time;
}

/** The contract over HTTP: the same suites, and the same answers, on each database. */
const contract = (database) => ({
  ...shared,
  displayName: database,
  globals: { TEST_DATABASE: database },
  testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
  globalSetup: `<rootDir>/test/support/jest/setup-${database}.ts`,
});

const unit = { ...shared, displayName: 'unit', testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/src/**/*.spec.ts'] };
const isThorough = process.env.TEST_SIZE === 'whole' || process.env.TEST_MYSQL_URL; // a server that was named is to be tried
const mysql = {
  ...contract('mysql'),
  testMatch: isThorough ? onMysql('always', 'whole') : onMysql('always'),
  globalTeardown: '<rootDir>/test/support/jest/teardown-mysql.ts',
};
const hasMysql = process.env.TEST_MYSQL_URL || findMysqlServer();

/** @type {import('jest').Config} */
module.exports = {
  projects: [unit, contract('sqlite'), ...(hasMysql ? [mysql] : [])],
  reporters: ['default', ...(hasMysql ? [] : ['<rootDir>/test/support/jest/no-mysql-reporter.cjs'])],
  maxWorkers: 4, // on two cores, a part of each test is a wait for a process or a poll: 138 s, 142 with 3, 148 with 5
  workerGracefulExitTimeout: 10_000, // freeing a heap of 650 MB takes a busy machine over a second; a leak is still reported
  showSeed: true,
  testTimeout: 120_000,
  collectCoverageFrom: ['src/**/*.ts', 'ormconfig.ts'],
  coverageProvider: 'v8',
  coverageReporters: ['text'],
};
