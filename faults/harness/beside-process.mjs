import { Client, DOMAINS } from './client.mjs';
import { quantile } from './quantile.mjs';

/** Alternately lists and creates, on every connection, for some seconds; reports the p99 latencies in milliseconds. */
const { port, key, connections, seconds, mark } = JSON.parse(process.argv[2]);
const lists = [];
const creates = [];

async function visit(index) {
  const client = new Client(port, key);
  const over = performance.now() + seconds * 1_000;
  for (let number = 0; performance.now() < over; number++) {
    const host = `${mark}-${index}-${number}.example.com`;
    note(await client.send('GET', `${DOMAINS}?results_per_page=25`), 200, lists);
    note(await client.send('POST', DOMAINS, { form: { host } }), 201, creates);
  }
  client.close();
}

function note({ status, failure, milliseconds }, expected, latencies) {
  if (status !== expected) throw new Error(`A request was answered with ${status ?? failure}.`);
  latencies.push(milliseconds);
}

await Promise.all(Array.from({ length: connections }, (_, index) => visit(index)));
process.send({ list: quantile(lists, 0.99), create: quantile(creates, 0.99), count: lists.length }, () => process.exit(0));
