import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port that stays free while what listens on it is down: below those that the system gives to connections going
 * out, for one of these could get it meanwhile, and even be connected with itself.
 */
export async function steadyPort() {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const probe = createServer();
    const isFree = await Promise.race([
      once(probe.listen(port, '127.0.0.1'), 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]).catch(() => false);
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
