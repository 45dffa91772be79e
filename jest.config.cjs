const { findMysqlServer } = require('./test/support/mysql-binary.cjs');

/** All but @nestjs/typeorm, which remembers in a static field which data sources an application has named. */
const PACKAGES = '/node_modules/(?!@nestjs/typeorm/).+\\.[cm]?js$';

/** What every project shares: our TypeScript goes through swc, packages are loaded by Node. */
const shared = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/process-environment.cjs',
  restoreMocks: true,
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bench/'],
  transform: {
    [PACKAGES]: '<rootDir>/test/support/native-package.cjs',
    '^.+\\.[cm]?[jt]s$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/(@jest/|jest|@swc/jest/)'],
};

/** No database has a part in these: `npm test` runs them on the embedded one only, `npm run test:all` on each. */
const OF_NO_DATABASE = [
  ...['authentication', 'command-line', 'cors', 'delivery-channels', 'docs', 'domain-verification', 'edge-answers'],
  ...['errors', 'extending', 'forms', 'health', 'nest-habits', 'openapi', 'openapi-extension'],
  ...['overload', 'paths', 'rate-limit', 'rate-limit-shared', 'route-decorators', 'scheduling-definitions', 'server'],
].map((name) => require.resolve(`./test/${name}.test.ts`));

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
  testPathIgnorePatterns: process.env.TEST_SIZE === 'whole' ? [] : OF_NO_DATABASE,
  globalTeardown: '<rootDir>/test/support/teardown-mysql.ts',
};
const hasMysql = process.env.TEST_MYSQL_URL || findMysqlServer();

/** @type {import('jest').Config} */
module.exports = {
  projects: [unit, contract('sqlite'), ...(hasMysql ? [mysql] : [])],
  reporters: ['default', ...(hasMysql ? [] : ['<rootDir>/test/support/no-mysql-reporter.cjs'])],
  maxWorkers: 3, // of which one or another waits for a process
  workerGracefulExitTimeout: 10_000, // freeing a heap of 650 MB takes a busy machine over a second; a leak is still reported
  showSeed: true,
  testTimeout: 120_000,
  collectCoverageFrom: ['src/**/*.ts', 'ormconfig.ts'],
  coverageProvider: 'v8',
  coverageReporters: ['text'],
};
