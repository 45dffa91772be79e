import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Opens many connections at once, sends part of a request on each, then a byte per second while they stay open. */
const { port, beginning, count, seconds } = JSON.parse(process.argv[2]);
const ages = [];
const open = new Set();

for (let index = 0; index < count; index++) {
  const socket = connect(port, '127.0.0.1');
  let begun;
  socket.on('connect', () => {
    begun = performance.now();
    open.add(socket);
    socket.write(beginning, 'latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (open.delete(socket)) ages.push((performance.now() - begun) / 1_000);
  });
  socket.resume();
}

for (let second = 0; second < seconds && (open.size > 0 || second < 5); second++) {
  await sleep(1_000);
  for (const socket of open) if (socket.writable) socket.write('a');
}
process.send({ connected: ages.length + open.size, left: open.size, oldest: Math.max(0, ...ages) }, () => process.exit(0));
