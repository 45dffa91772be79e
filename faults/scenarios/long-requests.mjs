import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHelper } from '../harness/helper.mjs';
import { longRequests } from '../harness/long-requests.mjs';
import { tested, timed } from '../harness/table.mjs';

export const name = 'long-requests';
const HOLD_MILLISECONDS = 50;
const PATIENCE_MILLISECONDS = 3_000;
/** Time for the pinger's process to start. */
const PINGER_MILLISECONDS = 500;
const PAUSE_MILLISECONDS = 60;

/** One request of up to 1 MB at a time, while another connection polls whether the process is alive. */
export async function run(context) {
  const times = context.either(7, 3);
  const stage = await context.stage('mariadb');
  const { key } = await stage.account('visitors');
  const { port } = await stage.start();
  const requests = longRequests(key);
  for (const { bytes } of requests) await exchange(port, bytes); // warm-up
  const pinger = startHelper('pinger-process.mjs', { port });
  await sleep(PINGER_MILLISECONDS);
  const holds = [];
  for (const { kind, bytes } of requests) {
    const tries = [];
    for (let time = 0; time < times; time++) tries.push(await holdOf(pinger, port, bytes));
    // The minimum filters out the machine's own delays.
    holds.push({ kind, hold: Math.min(...tries) });
    context.logProgress(`${name}: ${kind}: ${tries.map((hold) => hold.toFixed(1)).join(', ')} ms`);
  }
  pinger.end();
  const worst = holds.toSorted((a, b) => b.hold - a.hold)[0];
  return [
    tested('kinds of requests', holds.length),
    timed(context, `longest hold of the event loop (${worst.kind})`, worst.hold, HOLD_MILLISECONDS, 'ms'),
  ];
}

async function holdOf(pinger, port, bytes) {
  await pinger.ask('from now on');
  await exchange(port, bytes);
  await sleep(PAUSE_MILLISECONDS); // parsing may continue after the response
  return pinger.ask('until now');
}

/** Resolves on the response, or when the connection closes. */
function exchange(port, bytes) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MILLISECONDS);
    socket.on('data', () => socket.destroy()).on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.write(bytes, 'latin1');
  });
}
