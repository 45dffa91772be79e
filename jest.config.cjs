const { findMysqlServer } = require('./test/support/mysql-binary.cjs');

/** What every project shares: TypeScript through swc, and the packages that are ES modules turned into CommonJS. */
const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
  restoreMocks: true,
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bench/'],
  transform: {
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
  transformIgnorePatterns: ['/node_modules/(?!(@nestjs)/)'],
};

/** The contract over HTTP: the same suites, and the same answers, on each database. */
const contract = (database) => ({
  ...shared,
  displayName: database,
  globals: { TEST_DATABASE: database },
  testMatch: ['<rootDir>/test/*.test.ts'],
  globalSetup: `<rootDir>/test/support/setup-${database}.ts`,
});

const unit = { ...shared, displayName: 'unit', testMatch: ['<rootDir>/test/unit/*.test.ts'] };
const mysql = { ...contract('mysql'), globalTeardown: '<rootDir>/test/support/teardown-mysql.ts' };
const hasMysql = process.env.TEST_MYSQL_URL || findMysqlServer();

/** @type {import('jest').Config} */
module.exports = {
  projects: [unit, contract('sqlite'), ...(hasMysql ? [mysql] : [])],
  reporters: ['default', ...(hasMysql ? [] : ['<rootDir>/test/support/no-mysql-reporter.cjs'])],
  maxWorkers: 2,
  testTimeout: 30_000,
  collectCoverageFrom: ['src/**/*.ts', 'ormconfig.ts'],
  coverageProvider: 'v8',
  coverageReporters: ['text'],
};
