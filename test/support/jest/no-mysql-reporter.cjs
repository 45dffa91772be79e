const MESSAGE =
  'The MySQL half of the tests did not run: set TEST_MYSQL_URL (mysql://user:password@host:port/), or install mariadb-server or mysql-server.';

/** Reports at the end of a run that MySQL was not tested; with CI=true, the run fails. */
module.exports = class NoMysqlReporter {
  onRunComplete() {
    process.stderr.write(`\n${MESSAGE}\n`);
  }

  getLastError() {
    return process.env.CI === 'true' ? new Error(MESSAGE) : undefined;
  }
};
