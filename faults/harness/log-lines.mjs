import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.mjs';

const CONNECTIONS = 4;
/** The longest id is 128 characters; long lines fill a buffer sooner. */
const PADDING = 'x'.repeat(100);
const GAP_MESSAGE = 'Lines are missing here';
/** Several times the lines that fit the buffer of 1 MiB per process: the service must drop some earlier. */
const MAX_LINES = 60_000;

let generation = 0;

/** Compares a service's log with the requests that it logs. */
export class LogLines {
  #name = `line-${generation++}-`;
  #sent = 0;
  #outcomes = new Map();

  /** Sends requests, which log a line each, until lines have been dropped. */
  async sendUntilDropped(service, metricsPort) {
    const before = await droppedLines(metricsPort);
    let isOver = false;
    const clients = Array.from({ length: CONNECTIONS }, async () => {
      const client = new Client(service.port);
      while (!isOver && this.#sent < MAX_LINES) {
        const headers = { 'X-Request-Id': `${this.#name}${this.#sent++}-${PADDING}` };
        const { status, failure } = await client.send('GET', '/nothing', { headers });
        const outcome = status ?? failure;
        this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
      }
      client.close();
    });
    while (!isOver && this.#sent < MAX_LINES) {
      await sleep(50);
      isOver = (await droppedLines(metricsPort)) > before;
    }
    await Promise.all(clients);
    if (!isOver) throw new Error(`None of ${MAX_LINES} lines was dropped.`);
  }

  get answered() {
    return this.#outcomes.get(404) ?? 0;
  }

  get failed() {
    return [...this.#outcomes.keys()].filter((outcome) => outcome !== 404);
  }

  /** Requests whose lines are neither in the log nor counted there as dropped. @throws SyntaxError for a line that is not JSON */
  missingIn(log) {
    const complete = log.slice(0, log.lastIndexOf('\n'));
    const lines = complete.split('\n').map((line) => JSON.parse(line));
    const written = new Set(lines.map(({ request_id: id }) => id).filter((id) => id?.startsWith(this.#name)));
    const leftOut = lines.reduce((sum, { left_out = 0, msg }) => (msg?.startsWith(GAP_MESSAGE) ? sum + left_out : sum), 0);
    return Math.max(0, this.#sent - written.size - leftOut);
  }
}

async function droppedLines(metricsPort) {
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text());
  return Number(/^frontdesk_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1] ?? 0);
}
