const cluster = require('node:cluster');
const { createServer } = require('node:http');
const { start } = require('../../../dist/src/programs/server/start.js');

/** SIGHUP arrives before the first worker is started. Each worker responds with its number. */
if (cluster.isPrimary) {
  void start();
  process.kill(process.pid, 'SIGHUP');
} else {
  createServer((_request, response) => response.end(String(cluster.worker.id))).listen(0, '127.0.0.1');
}
