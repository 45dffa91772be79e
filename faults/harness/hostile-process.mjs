import { connect } from 'node:net';
import { hostileKinds } from './hostile-requests.mjs';
import { pick, randomOf } from './random.mjs';

/** Sends a seed's requests, each on its own connection, and reports the outcomes. */
const { port, key, seed, count, atOnce, hangMilliseconds } = JSON.parse(process.argv[2]);
const kinds = Object.entries(hostileKinds(key));
const random = randomOf(seed);
const statuses = {};
const faults = [];
const hung = [];
let sent = 0;

/** The status of the response, or 0, and the time until the response or the end of the connection. */
function exchange({ bytes, isWhole }) {
  return new Promise((resolve) => {
    const begun = performance.now();
    let received = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0), milliseconds: performance.now() - begun });
    };
    const timer = setTimeout(finish, 2 * hangMilliseconds);
    socket.on('data', (data) => {
      received += data.toString('latin1', 0, 20);
      if (received.length >= 12 && !received.startsWith('HTTP/1.1 1')) finish();
    });
    socket.on('error', () => {}).on('close', finish);
    if (isWhole) socket.write(bytes, 'latin1');
    else socket.end(bytes, 'latin1');
  });
}

async function work() {
  while (sent < count) {
    sent++;
    const [kind, make] = pick(random, kinds);
    const request = make(random);
    const { status, milliseconds } = await exchange(request);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 500) faults.push({ kind, status, bytes: request.bytes.slice(0, 300) });
    if (milliseconds > hangMilliseconds || (request.isWhole && status === 0)) hung.push({ kind, status, milliseconds });
  }
}

await Promise.all(Array.from({ length: atOnce }, work));
const kindsOf = (list) => [...new Set(list.map(({ kind, status }) => `${kind} (${status})`))];
process.send(
  { sent, statuses, faults: faults.length, faultKinds: kindsOf(faults), example: faults[0], hung: hung.length, hungKinds: kindsOf(hung) },
  () => process.exit(0),
);
