const COMPILER = require('./test/support/compiler.cjs');
const { findMysqlServer } = require('./test/support/mysql-binary.cjs');

/** All but @nestjs/typeorm, which remembers in a static field which data sources an application has named. */
const PACKAGES = '/node_modules/(?!@nestjs/typeorm/).+\\.[cm]?js$';

/** What every project shares: our TypeScript goes through swc, packages are loaded by Node. */
const shared = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/process-environment.cjs',
  restoreMocks: true,
  moduleNameMapper: { '^frontdesk$': '<rootDir>/src/public.ts', '^frontdesk/testing$': '<rootDir>/src/programs/sandbox/testing.ts' }, // what an extension of a test imports
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bench/'],
  transform: {
    [PACKAGES]: '<rootDir>/test/support/native-package.cjs',
    '^.+\\.[cm]?[jt]s$': ['@swc/jest', { ...COMPILER, sourceMaps: 'inline' }],
  },
  transformIgnorePatterns: ['/node_modules/(@jest/|jest|@swc/jest/)'],
};

const filesOf = (names) => names.map((name) => require.resolve(`./test/${name}.test.ts`));

/** No database has a part in these: they run on the embedded one only, which runs everything. */
const OF_NO_DATABASE = filesOf([
  ...[
    'account-cache',
    'authentication',
    'command-line',
    'console',
    'console-pages',
    'cors',
    'delivery-channels',
    'docs',
    'domain-verification',
    'edge-answers',
  ],
  ...['forms', 'nest-habits', 'openapi', 'openapi-extension', 'overload', 'paths', 'rate-limit', 'rate-limit-shared'],
  ...['route-decorators', 'testing-docs'],
]);

/** What depends on the database: `npm test` runs only these on MySQL, `npm run test:all` all but those above. */
const OF_THE_DATABASE = filesOf([
  ...['account-lifecycle', 'acknowledged-totals', 'after-commit', 'audit', 'changes', 'database-away', 'database-connection'],
  ...['database-settings', 'deliveries'],
  ...['delivery-queue', 'delivery-retention', 'delivery-statistics', 'domain-changes', 'domain-verification-worker', 'domains'],
  ...['due-lanes', 'edge-changes', 'event-log', 'events', 'extension-references', 'extension-writes', 'idempotency', 'import', 'jobs'],
  ...['large-lists', 'large-lists-filtered', 'large-lists-texts', 'large-lists-with-nulls', 'list-changes', 'lists', 'long-reads'],
  ...['mail-deliveries', 'message-cancellation', 'message-repeats', 'messages', 'migrations', 'notification-handlers', 'notifications'],
  ...['operator-commands', 'pagination', 'records', 'rows', 'scheduling', 'scheduling-filters', 'scheduling-large-lists'],
  ...['scheduling-pages', 'scheduling-queries', 'scheduling-streaming', 'scheduling-table', 'scheduling-walks', 'schema-drift'],
  ...['secrets-rotation', 'transactions'],
]);

/** The contract over HTTP: the same suites, and the same answers, on each database. */
const contract = (database) => ({
  ...shared,
  displayName: database,
  globals: { TEST_DATABASE: database },
  testMatch: ['<rootDir>/test/*.test.ts', '<rootDir>/test/**/*.e2e-spec.ts'],
  globalSetup: `<rootDir>/test/support/setup-${database}.ts`,
});

const unit = { ...shared, displayName: 'unit', testMatch: ['<rootDir>/test/unit/*.test.ts', '<rootDir>/src/**/*.spec.ts'] };
const mysql = {
  ...contract('mysql'),
  ...(process.env.TEST_SIZE === 'whole' ? { testPathIgnorePatterns: OF_NO_DATABASE } : { testMatch: OF_THE_DATABASE }),
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
