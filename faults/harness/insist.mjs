import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MILLISECONDS = 25;

/** Repeats a POST until it gets a response; with a form, under one `Idempotency-Key`. @throws Error when it is refused */
export async function insist(client, path, form, onRetry = () => {}) {
  const headers = form ? { 'Idempotency-Key': randomUUID() } : {};
  for (;;) {
    const { status, text } = await client.send('POST', path, { form, headers });
    if (status === 200 || status === 201) return JSON.parse(text);
    if (status >= 400 && status < 409) throw new Error(`${path} was refused: ${text}`);
    onRetry();
    await sleep(RETRY_MILLISECONDS);
  }
}
