import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './now.mjs';

/**
 * Publishes a message every 1,000 / `rate` milliseconds, however long the service takes, for one account after another, and reports
 * `[id, scheduled, sent, acknowledged]` per message; the id is null if the message wasn't created.
 */
const { port, accounts, rate, count, fanOut, bytes } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true });
const text = 'x'.repeat(bytes);
const begin = now() + 500;
const pending = [];

for (let index = 0; index < count; index++) {
  const scheduled = begin + (index * 1_000) / rate;
  while (now() < scheduled) await sleep(Math.max(0, scheduled - now() - 1));
  pending.push(publish(index, scheduled));
}
process.send(await Promise.all(pending));

/** Handlers take turns, so that a run uses all of them. */
async function publish(index, scheduled) {
  const { key, handlers } = accounts[index % accounts.length];
  const first = Math.floor(index / accounts.length) * fanOut;
  const ids = Array.from({ length: fanOut }, (_, offset) => handlers[(first + offset) % handlers.length]);
  const sent = now();
  const id = await post(key, JSON.stringify({ text, handler_ids: ids })).catch(() => null);
  return [id, scheduled, sent, now()];
}

function post(key, body) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/api/messages', method: 'POST', agent, headers }, async (response) => {
      let answer = '';
      for await (const part of response.setEncoding('utf8')) answer += part;
      resolve(response.statusCode === 201 ? JSON.parse(answer).data.id : null);
    })
      .once('error', reject)
      .end(body);
  });
}
