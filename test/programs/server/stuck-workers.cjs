const cluster = require('node:cluster');
const { createServer } = require('node:http');
const { supervise } = require('../../../dist/src/programs/server/start.js');
const { Workers } = require('../../../dist/src/programs/server/workers.js');

const COUNT = 2;

/** The first workers serve; those of a restart never listen, and have 100 ms to. */
async function run() {
  if (cluster.isPrimary) {
    const workers = new Workers(COUNT);
    await supervise(workers);
    Object.assign(workers, { startTimeoutMs: 100 });
  } else if (cluster.worker.id <= COUNT) {
    createServer((_request, response) => response.end(String(process.pid))).listen(0, '127.0.0.1');
  } else {
    setInterval(() => undefined, 1_000);
  }
}

void run();
