import { RawConnection, requestBytes } from './raw-connection.mjs';

/** Polls the service's liveness; on a message, reports the longest response time since the last message. */
const { port } = JSON.parse(process.argv[2]);
const bytes = requestBytes('GET', '/health/live', {});
const connection = new RawConnection(port);
let begun = performance.now();
let longest = 0;

process.on('message', () => {
  process.send(Math.max(longest, performance.now() - begun)); // including the request in flight
  longest = 0;
});
for (;;) {
  begun = performance.now();
  await connection.exchange(bytes);
  longest = Math.max(longest, performance.now() - begun);
}
