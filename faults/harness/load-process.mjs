import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection, requestBytes } from './raw-connection.mjs';

const { port, key, connections, seconds, path } = JSON.parse(process.argv[2]);
const bytes = requestBytes('GET', path, { Authorization: `Bearer ${key}` });
const latencies = [];
let answered = 0;
let refused = 0;
let lost = 0;

async function ask() {
  const connection = new RawConnection(port);
  const over = performance.now() + seconds * 1_000;
  while (performance.now() < over) {
    const begun = performance.now();
    const { status } = await connection.exchange(bytes);
    if (status) latencies.push(performance.now() - begun);
    if (status === 200) answered++;
    else if (status) refused++;
    else lost++;
    if (status !== 200) await sleep(10); // backs off, as a client would
  }
  connection.close();
}

await Promise.all(Array.from({ length: connections }, ask));
latencies.sort((a, b) => a - b);
const quantile = (share) => latencies[Math.min(Math.floor(latencies.length * share), latencies.length - 1)] ?? Infinity;
process.send({ answered, refused, lost, p50: quantile(0.5), p99: quantile(0.99) }, () => process.exit(0));
