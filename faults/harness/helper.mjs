import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { track } from '../../bench/harness/processes.mjs';

/** Starts a script of this folder in a process of its own, which tells one thing when it is done. */
export function startHelper(script, task) {
  const child = track(fork(join(import.meta.dirname, script), [JSON.stringify(task)], { env: { PATH: process.env.PATH } }));
  const told = once(child, 'message').then(([message]) => message);
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} has ended with ${code} and said nothing.`);
  });
  const report = Promise.race([told, died]);
  died.catch(() => {});
  report.catch(() => {});
  return {
    report,
    tell: (message) => child.send(message),
  };
}
