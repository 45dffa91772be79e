import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../harness/client.mjs';
import { clearDeliveries, createWebhooks, endLeases, MESSAGES, untilFinished } from '../harness/deliveries.mjs';
import { REACH_LOOPBACK, startReceiver } from '../harness/receiver.mjs';
import { none, tested } from '../harness/table.mjs';

export const name = 'messages-cancelled';
const SENDERS = 8;
const HANDLERS = 8;
const RETRY_MILLISECONDS = 25;
const PATIENCE_MILLISECONDS = 180_000;
const WAITS = { DELIVERY_WAITS: '1,1,1,1,1,1,1,1,1,1' };

/** Kills the service repeatedly while messages are sent and cancelled, and while several senders use the same `dedup_key`. */
export async function run(context) {
  const rows = [];
  for (const database of ['mariadb', 'sqlite']) rows.push(...(await runOn(context, await context.stage(database))));
  return rows;
}

async function runOn(context, stage) {
  const [times, wanted] = [context.either(20, 3), context.either(10_000, 200)];
  const receiver = await startReceiver();
  const account = await stage.account('writers');
  await clearDeliveries(stage);
  await stage.query('DELETE FROM message_keys');
  const service = await stage.start({ ...REACH_LOOPBACK, ...WAITS });
  const urls = Array.from({ length: HANDLERS }, (_, index) => receiver.url(`/fast/-/${index}`));
  const handlers = await createWebhooks(service.port, account, urls);
  const cancelled = new Map();
  const keys = new Set();
  let isOver = false;
  const senders = Array.from({ length: SENDERS }, (_, index) => send(index));
  for (let time = 1; time <= times || cancelled.size < wanted; time++) {
    await sleep(500 + Math.random() * 1_000);
    if (time > times) continue;
    await service.end('SIGKILL');
    await service.start();
  }
  isOver = true;
  await Promise.all(senders);
  if (context.isShort) {
    await service.end('SIGKILL');
    await endLeases(stage); // instead of waiting
    await service.start();
  }
  await untilFinished(stage, PATIENCE_MILLISECONDS);
  const arrived = new Set((await receiver.arrivals()).map(({ text }) => text));
  const unattempted = await stage.query(
    "SELECT text FROM messages JOIN deliveries ON message_id = messages.id WHERE status = 'cancelled' AND attempts = 0",
  );
  const doubled = await stage.query("SELECT text FROM messages WHERE text LIKE 'key %' GROUP BY text HAVING COUNT(*) > 1");
  await service.end('SIGTERM');
  receiver.end();
  const where = `${stage.name}, killed ${times} times`;
  const yetSent = [...cancelled.keys()].filter((text) => cancelled.get(text) && arrived.has(text));
  return [
    tested(`messages cancelled before they were sent, ${where}`, [...cancelled.values()].filter(Boolean).length),
    none(`cancelled and yet sent, ${where}`, yetSent.length),
    none(
      `cancelled without an attempt in the database, and yet sent, ${where}`,
      unattempted.filter(({ text }) => arrived.has(text)).length,
    ),
    tested(`keys that ${SENDERS} senders used, ${where}`, keys.size),
    none(`created twice under one key, ${where}`, doubled.length),
  ];

  /** Every other message is due at once, so that its attempt may begin before the cancellation. */
  async function send(index) {
    const client = new Client(service.port, account.key);
    for (let number = 0; !isOver; number++) {
      const text = `message ${index} ${number}`;
      const later = number % 2 === 0 ? { send_at: new Date(Date.now() + 500).toISOString() } : {};
      const form = { text, handler_ids: String(handlers[number % handlers.length]), ...later };
      const { data } = await insist(client, MESSAGES, { form, headers: { 'Idempotency-Key': randomUUID() } });
      const { data: counts } = await insist(client, `${MESSAGES}/${data.id}/cancellation`, {});
      cancelled.set(text, counts.cancelled === 1);
      const key = `key-${number}`;
      const repeated = { text: `key ${number}`, handler_ids: String(handlers[0]), dedup_key: key, dedup_seconds: '86400' };
      await insist(client, MESSAGES, { form: repeated, headers: { 'Idempotency-Key': randomUUID() } });
      keys.add(key);
    }
    client.close();
  }
}

/** Retries until the request is answered. @throws Error when it is refused */
async function insist(client, path, request) {
  for (;;) {
    const { status, text } = await client.send('POST', path, request);
    if (status === 200 || status === 201) return JSON.parse(text);
    if (status === 400 || status === 404) throw new Error(`${path} is refused: ${text}`);
    await sleep(RETRY_MILLISECONDS);
  }
}
