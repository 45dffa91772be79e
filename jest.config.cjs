const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const COMPILER = require('./test/support/compiler.cjs');
const { findMysqlServer } = require('./test/support/mysql-binary.cjs');

/** All but @nestjs/typeorm, which remembers in a static field which data sources an application has named. */
const PACKAGES = '/node_modules/(?!@nestjs/typeorm/).+\\.[cm]?js$';

/** What every project shares: our TypeScript goes through swc, packages are loaded by Node. */
const shared = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/process-environment.cjs',
  restoreMocks: true,
  moduleNameMapper: {
    '^frontdesk$': '<rootDir>/src/public.ts',
    '^frontdesk/testing$': '<rootDir>/src/programs/sandbox/testing.ts', // what an extension of a test imports
    '^(\\.{1,2}/.+)\\.js$': '$1', // files that are loaded late: import() names them as Node finds them
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bench/'],
  transform: {
    [PACKAGES]: '<rootDir>/test/support/native-package.cjs',
    '^.+\\.[cm]?[jt]s$': ['@swc/jest', { ...COMPILER, sourceMaps: 'inline' }],
  },
  transformIgnorePatterns: ['/node_modules/(@jest/|jest|@swc/jest/)'],
};

/** The first line of a contract file: where it runs. */
const PLACES = {
  '// Runs on SQLite and MySQL.': 'always',
  '// Runs on SQLite; in the whole run, on MySQL too.': 'whole',
  '// Runs on SQLite.': 'never', // writes no records: useApplication() checks it
};

/** The files that run on MySQL in these places. @throws Error for a file that doesn't say where it runs */
function onMysql(...places) {
  const files = readdirSync(join(__dirname, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  return files.map((name) => join(__dirname, 'test', name)).filter((file) => places.includes(placeOf(file)));
}

function placeOf(file) {
  const place = PLACES[readFileSync(file, 'utf8').split('\n', 1)[0]];
  if (!place) throw new Error(`${file}: the first line must be one of these:\n${Object.keys(PLACES).join('\n')}`);
  return place;
}

/** The contract over HTTP: the same suites, and the same answers, on each database. */
const contract = (database) => ({
  ...shared,
  displayName: database,
  globals: { TEST_DATABASE: database },
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/test/app.e2e-spec.ts'],
  globalSetup: `<rootDir>/test/support/setup-${database}.ts`,
});

const unit = { ...shared, displayName: 'unit', testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/src/**/*.spec.ts'] };
const isThorough = process.env.TEST_SIZE === 'whole' || process.env.TEST_MYSQL_URL; // a server that was named is to be tried
const mysql = {
  ...contract('mysql'),
  testMatch: [...(isThorough ? onMysql('always', 'whole') : onMysql('always')), '<rootDir>/test/app.e2e-spec.ts'],
  globalTeardown: '<rootDir>/test/support/teardown-mysql.ts',
};
const hasMysql = process.env.TEST_MYSQL_URL || findMysqlServer();

/** @type {import('jest').Config} */
module.exports = {
  projects: [unit, contract('sqlite'), ...(hasMysql ? [mysql] : [])],
  reporters: ['default', ...(hasMysql ? [] : ['<rootDir>/test/support/no-mysql-reporter.cjs'])],
  maxWorkers: 4, // on two cores, half of the time one waits for a process or a poll: 212 s, 291 with 3, 228 with 6
  workerGracefulExitTimeout: 10_000, // freeing a heap of 650 MB takes a busy machine over a second; a leak is still reported
  showSeed: true,
  testTimeout: 120_000,
  collectCoverageFrom: ['src/**/*.ts', 'ormconfig.ts'],
  coverageProvider: 'v8',
  coverageReporters: ['text'],
};
