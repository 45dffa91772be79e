import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DOMAINS, HANDLERS } from './client.mjs';

/** Replacing two workers takes 5 s on idle cores, and over 20 s while a test suite runs. */
const PATIENCE_MILLISECONDS = 90_000;

/** Seconds until a request that reads the database succeeds; Infinity after the timeout. */
export function secondsUntilAnswering(port, key) {
  return secondsUntil(port, key, (client) => client.send('GET', `${DOMAINS}?results_per_page=10`));
}

/** Seconds until a write succeeds; Infinity after the timeout. */
export function secondsUntilWriting(port, key) {
  return secondsUntil(port, key, (client) => client.send('POST', HANDLERS, { form: { name: 'again', type: 'email' } }));
}

async function secondsUntil(port, key, send) {
  const begun = performance.now();
  while (performance.now() - begun < PATIENCE_MILLISECONDS) {
    const client = new Client(port, key, { timeout: PATIENCE_MILLISECONDS });
    const { status } = await send(client);
    client.close();
    if (status < 300) return (performance.now() - begun) / 1_000;
    await sleep(10);
  }
  return Infinity;
}

/** @throws Error on timeout */
export async function until(condition, what, patience = PATIENCE_MILLISECONDS) {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > patience) throw new Error(`${what} did not happen in time.`);
    await sleep(20);
  }
}
