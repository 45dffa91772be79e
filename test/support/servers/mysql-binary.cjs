const { existsSync } = require('node:fs');
const { delimiter, join } = require('node:path');

const NAMES = ['mariadbd', 'mysqld'];

/** The path of a database server's binary on this machine, or undefined. Debian keeps them where only root's PATH looks. */
function findMysqlServer() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/libexec'];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

module.exports = { findMysqlServer };
