const cluster = require('node:cluster');
const { createServer } = require('node:http');
const { supervise } = require('../../../dist/src/programs/server/start.js');
const { Workers } = require('../../../dist/src/programs/server/workers.js');

const COUNT = 2;

/** SIGHUP arrives when only one of the first workers listens. Each worker responds with its number. */
async function run() {
  if (cluster.isPrimary) {
    cluster.once('listening', () => process.kill(process.pid, 'SIGHUP'));
    const started = supervise(new Workers(COUNT));
    process.once('SIGHUP', () => cluster.workers[COUNT].send('listen'));
    await started;
  } else if (cluster.worker.id === COUNT) {
    process.once('message', listen);
  } else {
    listen();
  }
}

function listen() {
  createServer((_request, response) => response.end(String(cluster.worker.id))).listen(0, '127.0.0.1');
}

void run();
