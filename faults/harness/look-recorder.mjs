import { setTimeout as sleep } from 'node:timers/promises';
import { serveNames } from './name-server.mjs';

const PREFIX = '_frontdesk.';
/** Longer than a look, which may ask twice. */
export const LOOK_MILLISECONDS = 5_000;
const [MIN_DELAY_MILLISECONDS, MAX_DELAY_MILLISECONDS] = [200, 1_000];

/** A name server for each process, which shows who looks at a domain. It answers slowly, so that faults meet looks at work. */
export class LookRecorder {
  /** By host: the values of its TXT record, or a response code. */
  answers = new Map();
  /** `{ host, process, life, asked, isAnswered }`; `process` is the name server's index. */
  looks = [];
  cutOff = 0;
  #lives;
  #servers;

  static async start(count) {
    const recorder = new LookRecorder();
    recorder.#lives = new Array(count).fill(0);
    recorder.#servers = await Promise.all(recorder.#lives.map((_, process) => serveNames((name) => recorder.#answer(process, name))));
    return recorder;
  }

  /** Of the name servers. */
  get addresses() {
    return this.#servers.map(({ address }) => address);
  }

  /** A process was killed. */
  noteKill(process) {
    this.cutOff += this.looks.filter((look) => look.process === process && look.life === this.#lives[process] && !look.isAnswered).length;
    this.#lives[process]++;
  }

  countSince(process, time) {
    return this.looks.filter((look) => look.process === process && look.asked > time).length;
  }

  /** The most looks at one domain that may have been at work at once: of different processes, or lives of one. */
  mostAtOnce() {
    const byHost = new Map();
    for (const look of this.looks) byHost.set(look.host, [...(byHost.get(look.host) ?? []), look]);
    return Math.max(0, ...[...byHost.values()].flatMap((looks) => looks.map((look) => countBeside(look, looks))));
  }

  end() {
    for (const server of this.#servers) server.end();
  }

  async #answer(process, name) {
    const host = name.slice(PREFIX.length);
    const look = { host, process, life: this.#lives[process], asked: performance.now(), isAnswered: false };
    this.looks.push(look);
    await sleep(MIN_DELAY_MILLISECONDS + Math.random() * (MAX_DELAY_MILLISECONDS - MIN_DELAY_MILLISECONDS));
    look.isAnswered = true;
    return this.answers.get(host) ?? 'NXDOMAIN';
  }
}

/** The processes' lives that have asked within the time of this look, itself included. */
function countBeside({ asked }, looks) {
  const beside = looks.filter((look) => look.asked <= asked && asked - look.asked < LOOK_MILLISECONDS);
  return new Set(beside.map(({ process, life }) => `${process} ${life}`)).size;
}
