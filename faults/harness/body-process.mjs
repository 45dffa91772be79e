import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { bodyRequest } from './body-requests.mjs';
import { randomOf } from './random.mjs';

/** Sends a seed's bodies, each on its own connection, and reports the responses. */
const { port, keys, paths, seed, count, atOnce, hangMilliseconds } = JSON.parse(process.argv[2]);
const random = randomOf(seed);
const statuses = {};
const faults = [];
const unanswered = [];
let sent = 0;

/** The statuses of the responses, until the connection closes or as many have arrived as the ending waits for. */
async function exchange({ pieces, pauseAfter, ending, patienceMilliseconds = hangMilliseconds }) {
  let received = '';
  const socket = connect(port, '127.0.0.1').setNoDelay();
  const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
  const answered = new Promise((resolve) => {
    socket.on('data', (data) => {
      received += data.toString('latin1');
      const found = statusesIn(received);
      if (found.length >= (ending === 'send another request behind it' ? 2 : 1)) resolve();
    });
  });
  for (const [index, piece] of pieces.entries()) {
    if (socket.destroyed) break;
    if (!socket.write(piece, 'latin1')) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    if (index === pauseAfter) await sleep(20);
    if (index % 16 === 0) await nextTurn(); // lets pieces arrive one by one
  }
  if (ending.startsWith('reset')) socket.resetAndDestroy();
  else if (ending === 'leave without the answer') socket.destroy();
  else if (ending === 'cut the body') socket.end();
  const late = sleep(patienceMilliseconds, undefined, { ref: false });
  await Promise.race(ending === 'cut the body' ? [closed, late] : [answered, closed, late]);
  if (ending === 'wait for the answer') socket.resetAndDestroy();
  else socket.destroy();
  return statusesIn(received);
}

function statusesIn(received) {
  return [...received.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status));
}

async function work() {
  while (sent < count) {
    sent++;
    const request = bodyRequest(random, paths, keys);
    const found = await exchange(request);
    for (const status of found) statuses[status] = (statuses[status] ?? 0) + 1;
    // Refusing a list while many others are open is not a fault.
    if (found.some((status) => status >= 500 && status !== 503)) faults.push(`${request.kind}: ${found}`);
    if (request.mustAnswer && found.length === 0) unanswered.push(request.kind);
  }
}

await Promise.all(Array.from({ length: atOnce }, work));
process.send({ sent, statuses, faults, unanswered }, () => process.exit(0));
