import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nobody listens on: below those that a system gives out by itself, so that no test running beside gets it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
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
