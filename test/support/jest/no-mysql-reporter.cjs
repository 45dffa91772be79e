const MESSAGE =
  'The MySQL half of the tests did not run: set TEST_MYSQL_URL (mysql://user:password@host:port/), or install mariadb-server or mysql-server.';

/** Says at the end of a run, where it is seen, what the run did not test; with CI=true that is a failure. */
module.exports = class NoMysqlReporter {
  onRunComplete() {
    process.stderr.write(`\n${MESSAGE}\n`);
  }

  getLastError() {
    return process.env.CI === 'true' ? new Error(MESSAGE) : undefined;
  }
};
