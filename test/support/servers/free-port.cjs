const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const { createServer } = require('node:net');

/** Two of one process's services may take their ports before either listens. */
const given = new Set();

/**
 * A port nobody listens on, and that stays free while its listener is down: it is below the range from which the system
 * picks ports for outgoing connections, one of which could even connect to itself.
 */
async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (given.has(port)) continue;
    const probe = createServer();
    const isFree = await Promise.race([
      once(probe.listen(port, '127.0.0.1'), 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]).catch(() => false);
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    given.add(port);
    return port;
  }
}

module.exports = { freePort };
