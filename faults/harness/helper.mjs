import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { track } from '../../bench/harness/processes.mjs';

/** Forks a script of this folder. `report` is its first message, `ask` returns its response to a question. */
export function startHelper(script, task) {
  const child = track(fork(join(import.meta.dirname, script), [JSON.stringify(task)], { env: { PATH: process.env.PATH } }));
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} exited with ${code} and no report.`);
  });
  const nextMessage = () => Promise.race([once(child, 'message').then(([message]) => message), died]);
  const report = nextMessage();
  for (const promise of [died, report]) promise.catch(() => {}); // nobody may be waiting
  return {
    report,
    ask(question) {
      const answer = nextMessage();
      child.send(question);
      return answer;
    },
    end: () => child.kill(),
  };
}
