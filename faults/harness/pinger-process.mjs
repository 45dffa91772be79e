import { RawConnection, requestBytes } from './raw-connection.mjs';

/** Asks whether the process is alive, time after time, until it is told to say how long the longest answer took. */
const { port } = JSON.parse(process.argv[2]);
const bytes = requestBytes('GET', '/health/live', {});
const connection = new RawConnection(port);
let longest = 0;
let pings = 0;

process.on('message', () => process.send({ longest, pings }, () => process.exit(0)));
for (;;) {
  const begun = performance.now();
  await connection.exchange(bytes);
  longest = Math.max(longest, performance.now() - begun);
  pings++;
}
