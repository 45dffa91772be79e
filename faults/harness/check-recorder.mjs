import { setTimeout as sleep } from 'node:timers/promises';
import { serveNames } from './name-server.mjs';

const PREFIX = '_frontdesk.';
/** Longer than a check, which may query twice. */
export const CHECK_MILLISECONDS = 5_000;
const [MIN_DELAY_MILLISECONDS, MAX_DELAY_MILLISECONDS] = [200, 1_000];

/** A name server per process, which shows the process that checks a domain. It answers slowly, so that faults occur during checks. */
export class CheckRecorder {
  /** By host: the values of its TXT record, or a response code. */
  answers = new Map();
  /** `{ host, process, life, asked, isAnswered }`; `process` is the name server's index. */
  checks = [];
  cutOff = 0;
  #lives;
  #servers;

  static async start(count) {
    const recorder = new CheckRecorder();
    recorder.#lives = new Array(count).fill(0);
    recorder.#servers = await Promise.all(recorder.#lives.map((_, process) => serveNames((name) => recorder.#answer(process, name))));
    return recorder;
  }

  get addresses() {
    return this.#servers.map(({ address }) => address);
  }

  noteKill(process) {
    this.cutOff += this.checks.filter(
      (check) => check.process === process && check.life === this.#lives[process] && !check.isAnswered,
    ).length;
    this.#lives[process]++;
  }

  countSince(process, time) {
    return this.checks.filter((check) => check.process === process && check.asked > time).length;
  }

  /** The most concurrent checks that one domain may have had, by different processes or before and after a restart of one. */
  mostAtOnce() {
    const byHost = new Map();
    for (const check of this.checks) byHost.set(check.host, [...(byHost.get(check.host) ?? []), check]);
    return Math.max(0, ...[...byHost.values()].flatMap((checks) => checks.map((check) => countConcurrent(check, checks))));
  }

  end() {
    for (const server of this.#servers) server.end();
  }

  async #answer(process, name) {
    const host = name.slice(PREFIX.length);
    const check = { host, process, life: this.#lives[process], asked: performance.now(), isAnswered: false };
    this.checks.push(check);
    await sleep(MIN_DELAY_MILLISECONDS + Math.random() * (MAX_DELAY_MILLISECONDS - MIN_DELAY_MILLISECONDS));
    check.isAnswered = true;
    return this.answers.get(host) ?? 'NXDOMAIN';
  }
}

/** Counts processes, restarted ones separately, that queried within the time of this check, including its own. */
function countConcurrent({ asked }, checks) {
  const beside = checks.filter((check) => check.asked <= asked && asked - check.asked < CHECK_MILLISECONDS);
  return new Set(beside.map(({ process, life }) => `${process} ${life}`)).size;
}
