import { Agent, request } from 'node:http';
import { MESSAGE } from './message.mjs';

/** Posts webhooks as fast as `atOnce` connections of Node's own agent allow. The first fifth is a warm-up. */
const { port, atOnce, count } = JSON.parse(process.argv[2]);
const BODY = JSON.stringify({ type: 'message', timestamp: '2026-11-22T08:00:00Z', data: { message_id: 1, delivery_id: 1, ...MESSAGE } });
const agent = new Agent({ keepAlive: true });
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(BODY) };
const warm = Math.floor(count / 5);
let begun = 0;
let started;

function post() {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/hook', method: 'POST', agent, headers };
    request(options, (response) => response.resume().once('end', resolve))
      .once('error', reject)
      .end(BODY);
  });
}

async function work() {
  while (begun < count) {
    if (begun++ === warm) started = { time: performance.now(), cpu: process.cpuUsage() };
    await post();
  }
}

await Promise.all(Array.from({ length: atOnce }, work));
const { user, system } = process.cpuUsage(started.cpu);
const measured = count - warm;
process.send({ rate: Math.round((measured / (performance.now() - started.time)) * 1_000), cpu: Math.round((user + system) / measured) });
