import { setTimeout as sleep } from 'node:timers/promises';
import { writerOf } from './proxy.mjs';

const AWAY_MILLISECONDS = 6_000;
const CALM_MILLISECONDS = 3_000;

/** Each hits the node that takes the writes. */
export const FAULTS = [
  { name: 'killed (-9)', strike: (node) => node.signal('SIGKILL'), mend: (node) => node.startAgain() },
  { name: 'stopped (SIGTERM)', strike: (node) => void node.stop(), mend: (node) => node.startAgain() },
  { name: 'frozen (SIGSTOP)', strike: (node) => node.signal('SIGSTOP'), mend: (node) => thaw(node) },
];

/** Runs the faults in sequence, each on a complete cluster. Returns their times, in milliseconds of `performance.now()`. */
export async function strikeAll(faults, nodes, proxy, tell) {
  const times = [];
  await sleep(CALM_MILLISECONDS);
  for (const { name, strike, mend } of faults) {
    const writer = await writerOf(proxy);
    const node = nodes.find((one) => one.name === writer);
    tell(`${writer} is ${name}`);
    const from = performance.now();
    strike(node);
    await sleep(AWAY_MILLISECONDS);
    const mendedFrom = performance.now();
    await mend(node);
    const backAfter = performance.now() - mendedFrom;
    await sleep(CALM_MILLISECONDS);
    times.push({ name, node: writer, from, to: performance.now(), backAfter, next: await writerOf(proxy) });
  }
  return times;
}

/** A thawed node believes that it is a member until it learns otherwise. */
async function thaw(node) {
  node.signal('SIGCONT');
  await sleep(CALM_MILLISECONDS);
  await node.waitUntilSynced();
}
