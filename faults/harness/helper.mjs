import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { track } from '../../bench/harness/processes.mjs';

/** Starts a script of this folder in a process of its own: `report` is the first thing that it tells, `ask` what it answers. */
export function startHelper(script, task) {
  const child = track(fork(join(import.meta.dirname, script), [JSON.stringify(task)], { env: { PATH: process.env.PATH } }));
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} has ended with ${code} and said nothing.`);
  });
  const told = () => Promise.race([once(child, 'message').then(([message]) => message), died]);
  const report = told();
  for (const promise of [died, report]) promise.catch(() => {}); // nobody may be waiting
  return {
    report,
    ask(question) {
      const answer = told();
      child.send(question);
      return answer;
    },
    end: () => child.kill(),
  };
}
