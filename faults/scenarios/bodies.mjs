import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKey } from '../harness/accounts.mjs';
import { Client } from '../harness/client.mjs';
import { startHelper } from '../harness/helper.mjs';
import { SEED } from '../harness/random.mjs';
import { liveMemoryIn } from '../harness/service.mjs';
import { atMost, must, none, tested } from '../harness/table.mjs';

export const name = 'bodies';
const CONNECTIONS = 16;
const BODIES_PER_ROUND = 1_000;
/** Growth after the first round, which fills caches and pools. */
const MAX_GROWTH_MEGABYTES = 16;
/** Not in the OpenAPI document. */
const UNDOCUMENTED = ['/acknowledge/x', '/callbacks/twilio', '/nowhere'];

/** Bodies of every size and framing, complete or cut, for every route with a body. After each thousand, the process must still run and respond. */
export async function run(context) {
  const rounds = context.either(20, 3);
  const stage = await context.stage('sqlite');
  const { key } = await stage.account('bodies');
  const service = await stage.start({ ...liveMemoryIn(join(stage.folder, 'memory')), LOG_LEVEL: 'warn' });
  const client = new Client(service.port, key);
  const { pid } = service;
  const paths = [...(await postPaths(client)), ...UNDOCUMENTED];
  const memory = [];
  const found = { sent: 0, faults: [], unanswered: [], unwell: [] };
  for (let round = 0; round < rounds && service.isRunning; round++) {
    const seed = SEED + round;
    const keys = { key, wrongKey: generateKey() };
    const { report } = startHelper('body-process.mjs', {
      port: service.port,
      keys,
      paths,
      seed,
      count: BODIES_PER_ROUND,
      atOnce: CONNECTIONS,
      hangMilliseconds: context.either(35_000, 60_000),
    });
    const { sent, statuses, faults, unanswered } = await report;
    context.logProgress(`${name}: seed ${seed}, ${JSON.stringify(statuses)}`);
    found.sent += sent;
    found.faults.push(...faults);
    found.unanswered.push(...unanswered);
    found.unwell.push(...(await findFailingRequests(client)));
    if (service.isRunning) memory.push(await service.liveMemory());
  }
  client.close();
  context.logProgress(`${name}: ${JSON.stringify({ paths: paths.length, memory })}`);
  return [
    tested('requests', found.sent),
    must(
      'the process',
      service.isRunning && service.pid === pid ? 'the same' : 'ended',
      'the same',
      service.isRunning && service.pid === pid,
    ),
    none('responses with 5xx', found.faults.length, found.faults.slice(0, 3)),
    none('complete requests within the limit without a response', found.unanswered.length, found.unanswered.slice(0, 3)),
    none('valid requests that failed after each thousand', found.unwell.length, found.unwell),
    atMost('growth of memory since the first thousand', (memory.at(-1) - memory[0]) / 2 ** 20, MAX_GROWTH_MEGABYTES, 'MB'),
  ];
}

/** Every path that has a POST, with ids of nonexistent records. */
async function postPaths(client) {
  const { text } = await client.send('GET', '/openapi.json');
  return Object.entries(JSON.parse(text).paths)
    .filter(([, operations]) => operations.post)
    .map(([path]) => path.replace(/\{\w+\}/g, '999999999'));
}

/** Sends a valid request for each kind of resource that a request can hold; returns those that fail. */
async function findFailingRequests(client) {
  const failed = [];
  for (const path of ['/api/domains', '/scheduling?api=agendamentos', '/health/ready']) {
    const { status } = await client.send('GET', path);
    if (status !== 200) failed.push(`${path}: ${status}`);
  }
  // Node does not notice a disconnected client while its body is unread, so earlier waits run to their end.
  for (let second = 0; ; second++) {
    const { status } = await client.send('GET', '/api/events?after=latest&wait=1');
    if (status === 200) return failed;
    if (status !== 429 || second === 60) return [...failed, `an event wait: ${status}`];
    await sleep(1_000);
  }
}
