import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './now.mjs';

/** Records when the first byte of each webhook arrives, and answers after `delay` milliseconds. */
const { delay } = JSON.parse(process.argv[2]);
let arrivals = [];

const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  arrivals.push([Number(request.headers['webhook-id']?.split('_').at(-1)), now()]);
  request.resume();
  if (delay > 0) await sleep(delay);
  response.end('ok');
});
process.on('message', (question) => {
  process.send(question === 'count' ? arrivals.length : arrivals);
  if (question === 'forget') arrivals = [];
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
