import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below 32768, where Linux's ephemeral ports start: a restarted node gets its ports back. */
const FIRST = 20_000;
const LAST = 32_000;

/** Free ports of 127.0.0.1. */
export async function freePorts(count) {
  const ports = [];
  for (let port = FIRST + Math.floor(Math.random() * (LAST - FIRST) * 0.9); ports.length < count; port++) {
    if (port > LAST) throw new Error('There are too few free ports.');
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port) {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
