import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, DOMAINS } from '../harness/client.mjs';
import { load } from '../harness/load.mjs';
import { fillWithMillions, ordinaryRequests } from '../harness/million.mjs';
import { none, tested, timed } from '../harness/table.mjs';

export const name = 'million';
const CONNECTIONS = 4;
const PAUSE_MILLISECONDS = 30;
/** As promised in SECURITY.md. */
const BLOCKED_MILLISECONDS = 50;
/** Two or three blocks of 50 ms in a row, on two cores that the large account's reads also use. */
const P99_MILLISECONDS = 150;

/** An account with a million of every record reads its lists: alone, which must not block the event loop, and while another account reads. */
export async function run(context) {
  const rows = [];
  for (const database of ['sqlite', 'mariadb']) rows.push(...(await runOn(context, await context.freshStage(database))));
  return rows;
}

async function runOn(context, stage) {
  const count = context.either(1_000_000, 21_000);
  const loopFile = join(stage.folder, 'event-loop');
  const monitor = fileURLToPath(new URL('../harness/event-loop.cjs', import.meta.url));
  const service = await stage.start({ DELIVERY_CONCURRENCY: '0', NODE_OPTIONS: `--require ${monitor}`, EVENT_LOOP_FILE: loopFile });
  const [large, other] = [await stage.account('writers'), await stage.account('neighbour')];
  await fillWithMillions(stage, service.port, large, count);
  context.logProgress(`${name}, ${stage.name}: filled in`);
  const requests = await ordinaryRequests(stage, count, large);
  const blocked = [];
  if (stage.name === 'sqlite') blocked.push(await longestBlock(context, service, loopFile, large, requests));
  const beside = await besideAnother(context, service, large, other, requests);
  context.logProgress(`${name}, ${stage.name}: ${JSON.stringify(beside)}`);
  await service.end('SIGTERM');
  return [
    tested(`kinds of requests, ${stage.name}`, requests.length),
    ...blocked,
    tested(`responses to the large account beside another, ${stage.name}`, beside.answered),
    none(`failed requests of either account, ${stage.name}`, beside.failed + beside.other.lost),
    timed(context, `requests of either account rejected after a wait, ${stage.name}`, beside.refused + beside.other.refused, 0, 'requests'),
    timed(context, `p99 of another account beside it, ${stage.name}`, beside.other.p99, P99_MILLISECONDS, 'ms'),
  ];
}

/** Takes the minimum of several tries per kind of request, to filter out the machine's own delays. */
async function longestBlock(context, service, loopFile, { key }, requests) {
  const client = new Client(service.port, key);
  const blocks = [];
  for (const { path, method, form } of requests) {
    const tries = [];
    for (let time = 0; time < context.either(7, 1); time++) {
      await blockedSince(service, loopFile);
      await client.send(method, path, { form });
      await sleep(PAUSE_MILLISECONDS);
      tries.push(await blockedSince(service, loopFile));
    }
    blocks.push({ path, block: Math.min(...tries) });
    context.logProgress(`${name}: ${method} ${path}: ${tries.map((block) => block.toFixed(1)).join(', ')} ms`);
  }
  client.close();
  const worst = blocks.toSorted((a, b) => b.block - a.block)[0];
  return timed(context, `longest block of the event loop (${worst.path})`, worst.block, BLOCKED_MILLISECONDS, 'ms');
}

async function blockedSince(service, loopFile) {
  rmSync(loopFile, { force: true });
  service.signal('SIGUSR2');
  while (!existsSync(loopFile) || readFileSync(loopFile, 'utf8') === '') await sleep(2);
  return Number(readFileSync(loopFile, 'utf8'));
}

/** Four connections of the large account send its requests in turn, while another account reads its list. */
async function besideAnother(context, service, large, { key }, requests) {
  const seconds = context.either(30, 3);
  const over = performance.now() + seconds * 1_000;
  let [answered, refused, failed] = [0, 0, 0];
  const visit = async (_, connection) => {
    const client = new Client(service.port, large.key);
    for (let next = connection; performance.now() < over; next++) {
      const { method, path, form } = requests[next % requests.length];
      const { status } = await client.send(method, path, { form });
      if (status === 200 || status === 201) answered++;
      else if (status === 503) refused++;
      else failed++;
    }
    client.close();
  };
  const [other] = await Promise.all([
    load(service.port, key, { connections: 1, seconds, path: `${DOMAINS}?results_per_page=25` }),
    ...Array.from({ length: CONNECTIONS }, visit),
  ]);
  return { answered, refused, failed, other };
}
