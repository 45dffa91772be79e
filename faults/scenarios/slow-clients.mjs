import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/harness/statistics.mjs';
import { DOMAINS, HANDLERS } from '../harness/client.mjs';
import { startHelper } from '../harness/helper.mjs';
import { load } from '../harness/load.mjs';
import { must, none, timed } from '../harness/table.mjs';

export const name = 'slow-clients';
const CLIENTS = 1_000;
const HEADER_SECONDS = 10;
const REQUEST_SECONDS = 30;
/** The service checks for late requests periodically; deadlines have this tolerance. */
const CHECK_SECONDS = 2;
/** The short run, which shares the machine with tests, waits longer. */
const SHORT_RUN_SECONDS = 60;
const MAX_SLOWDOWN = 2;
const CONNECTED_SECONDS = 2;
const CONNECTIONS = 4;

/** Opens a thousand requests whose headers never end, and a thousand whose bodies never end. */
export async function run(context) {
  const stage = await context.stage('mariadb');
  const [slow, other] = [await stage.account('visitors'), await stage.account('neighbour')];
  const { port } = await stage.start();
  const [rounds, seconds] = [context.either(3, 1), 2];
  const p99OfOthers = async () => {
    const figures = [];
    for (let round = 0; round < rounds; round++)
      figures.push(await load(port, other.key, { connections: CONNECTIONS, seconds, path: DOMAINS }));
    const sum = (of) => figures.reduce((total, figure) => total + of(figure), 0);
    return { p99: median(figures.map(({ p99 }) => p99)), refused: sum(({ refused }) => refused), lost: sum(({ lost }) => lost) };
  };
  await load(port, other.key, { connections: CONNECTIONS, seconds: 1, path: DOMAINS });
  const before = await p99OfOthers();
  const patience = context.either(CHECK_SECONDS + 1, SHORT_RUN_SECONDS);
  const headers = begin(port, 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: ', HEADER_SECONDS + patience);
  const bodies = begin(port, bodyOf(slow.key), REQUEST_SECONDS + patience);
  await sleep(CONNECTED_SECONDS * 1_000);
  const during = await p99OfOthers();
  return [
    timed(context, `p99 of others (${before.p99.toFixed(1)} → ${during.p99.toFixed(1)} ms)`, during.p99 / before.p99, MAX_SLOWDOWN, '×'),
    timed(context, 'of others, refused after a second', during.refused, 0, 'requests'),
    none('requests of others lost', during.lost),
    ...dropped(context, 'slow headers', HEADER_SECONDS, await headers),
    ...dropped(context, 'slow bodies', REQUEST_SECONDS, await bodies),
  ];
}

function begin(port, beginning, seconds) {
  return startHelper('slow-process.mjs', { port, beginning, count: CLIENTS, seconds }).report;
}

function bodyOf(key) {
  const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000';
  return `POST ${HANDLERS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${type}\r\n\r\nname=`;
}

function dropped(context, what, deadline, { connected, left, oldest }) {
  return [
    must(`${what}, connected`, String(connected), String(CLIENTS), connected === CLIENTS),
    none(`${what} not dropped`, left),
    timed(context, `${what}: the oldest when dropped`, left > 0 ? Infinity : oldest, deadline + CHECK_SECONDS, 's'),
  ];
}
