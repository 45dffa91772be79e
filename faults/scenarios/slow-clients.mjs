import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/harness/statistics.mjs';
import { DOMAINS, HANDLERS } from '../harness/client.mjs';
import { startHelper } from '../harness/helper.mjs';
import { load } from '../harness/load.mjs';
import { atMost, must, none, timed } from '../harness/table.mjs';

export const name = 'slow-clients';
const COUNT = 1_000;
const HEADER_SECONDS = 10;
const REQUEST_SECONDS = 30;
/** The service checks for late requests periodically; deadlines have this tolerance. */
const LOOK_SECONDS = 2;
const TIMES = 2;
const CONNECTED_SECONDS = 2;
const CONNECTIONS = 4;

/** A thousand clients whose headers never end, and a thousand whose bodies never do. */
export async function run(context) {
  const stage = await context.stage('mariadb');
  const [slow, other] = [await stage.account('visitors'), await stage.account('neighbour')];
  const { port } = await stage.start();
  const [rounds, seconds] = [3, 2];
  const p99OfOthers = async () => {
    const figures = [];
    for (let round = 0; round < rounds; round++)
      figures.push(await load(port, other.key, { connections: CONNECTIONS, seconds, path: DOMAINS }));
    return { p99: median(figures.map(({ p99 }) => p99)), bad: figures.reduce((sum, { refused, lost }) => sum + refused + lost, 0) };
  };
  await load(port, other.key, { connections: CONNECTIONS, seconds: 1, path: DOMAINS });
  const before = await p99OfOthers();
  const headers = begin(port, 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: ', HEADER_SECONDS);
  const bodies = begin(port, bodyOf(slow.key), REQUEST_SECONDS);
  await sleep(CONNECTED_SECONDS * 1_000);
  const during = await p99OfOthers();
  return [
    timed(context, atMost(`p99 of others (${before.p99.toFixed(1)} → ${during.p99.toFixed(1)} ms)`, during.p99 / before.p99, TIMES, '×')),
    none('requests of others refused or lost', during.bad),
    ...dropped('slow headers', HEADER_SECONDS, await headers),
    ...dropped('slow bodies', REQUEST_SECONDS, await bodies),
  ];
}

function begin(port, beginning, deadline) {
  return startHelper('slow-process.mjs', { port, beginning, count: COUNT, seconds: deadline + LOOK_SECONDS + 1 }).report;
}

function bodyOf(key) {
  const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000';
  return `POST ${HANDLERS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${type}\r\n\r\nname=`;
}

function dropped(what, deadline, { connected, left, oldest }) {
  return [
    must(`${what}, connected`, String(connected), String(COUNT), connected === COUNT),
    none(`${what} not dropped`, left),
    atMost(`${what}: the oldest when dropped`, left > 0 ? Infinity : oldest, deadline + LOOK_SECONDS, 's'),
  ];
}
