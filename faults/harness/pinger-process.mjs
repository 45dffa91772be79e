import { RawConnection, requestBytes } from './raw-connection.mjs';

/** Asks whether the service is alive, time after time; asked itself, says how long the longest answer since then took. */
const { port } = JSON.parse(process.argv[2]);
const bytes = requestBytes('GET', '/health/live', {});
const connection = new RawConnection(port);
let begun = performance.now();
let longest = 0;

process.on('message', () => {
  process.send(Math.max(longest, performance.now() - begun)); // the one under way, too
  longest = 0;
});
for (;;) {
  begun = performance.now();
  await connection.exchange(bytes);
  longest = Math.max(longest, performance.now() - begun);
}
