import { once } from 'node:events';
import { createServer } from 'node:http';
import { ADDRESSES, URLS } from '../../test/support/http/forbidden-addresses.cjs';
import { Client, HANDLERS } from '../harness/client.mjs';
import { clearDeliveries, MESSAGES, untilFinished } from '../harness/deliveries.mjs';
import { startNameServer } from '../harness/name-server.mjs';
import { none, tested } from '../harness/table.mjs';

export const name = 'deliveries-forbidden';
/** The only allowed address: that of the redirects, and of names before they change. */
const ALLOWED = '127.0.0.77';
const REDIRECTS = [301, 302, 303, 307, 308];
/** How often a name's IPv4 address is queried before it changes. */
const QUERIES_BEFORE_CHANGE = [0, 1, 2, 5];
const TESTS_A_MINUTE = 10;

/** Webhooks that reach loopback or private networks in every possible way. A listener there must see no connection. */
export async function run(context) {
  const stage = await context.stage('sqlite');
  const account = await stage.account('visitors');
  await clearDeliveries(stage);
  const forbidden = await listenEverywhere((_request, response) => response.end('inside'));
  const inside = forbidden.address().port;
  const allowed = await listen(ALLOWED, (request, response) => redirect(request, response, inside));
  const nameServer = await startNameServer(zone());
  const service = await stage.start({
    ...{ OUTBOUND_ALLOW: `${ALLOWED}/32`, DNS_SERVERS: nameServer.address },
    DELIVERY_WAITS: '0,0,0,0,0,0,0,0',
  });
  const client = new Client(service.port, account.key);
  let connections = 0;
  forbidden.on('connection', () => connections++);
  let asked = 0;
  allowed.on('request', () => asked++);

  const blocked = await create(client, [...spelled(inside), ...named(inside)]);
  const others = await create(client, [...changing(allowed.address().port), ...redirecting(allowed.address().port)]);
  const answers = await testAll(client, stage, context.either(blocked, blocked.slice(0, 2 * TESTS_A_MINUTE)));
  await send(client, [...blocked, ...others]);
  await untilFinished(stage);
  const log = await stage.query(
    'SELECT d.handler_id AS handler, a.outcome AS outcome FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id',
  );
  const toBlocked = log.filter(({ handler }) => blocked.includes(handler));
  await service.end('SIGTERM');
  client.close();
  nameServer.end();
  for (const server of [forbidden, allowed]) server.close();
  context.logProgress(
    `${name}: ${JSON.stringify({ blocked: blocked.length, others: others.length, tests: answers.length, log: log.length, asked })}`,
  );
  return [
    tested('forbidden URLs accepted as webhooks', blocked.length),
    tested('requests to the allowed address, by redirects and changing names', asked),
    none('deliveries to forbidden addresses without an attempt', blocked.length - new Set(toBlocked.map(({ handler }) => handler)).size),
    none('their attempts that were not blocked', toBlocked.filter(({ outcome }) => outcome !== 'blocked_address').length),
    none('tests of their handlers that were not blocked', answers.filter((outcome) => outcome !== 'blocked_address').length),
    tested(
      'attempts blocked after a name changed',
      log.filter(({ handler, outcome }) => others.includes(handler) && outcome === 'blocked_address').length,
    ),
    none('connections to forbidden addresses', connections),
  ];
}

/** Listens on every address of this machine. */
function listenEverywhere(handle) {
  return listen('::', handle).catch(() => listen('0.0.0.0', handle)); // no IPv6 here
}

async function listen(host, handle) {
  const server = createServer(handle);
  await once(server.listen(0, host), 'listening');
  return server;
}

function spelled(port) {
  return URLS.map((url) => url.replaceAll('#', port));
}

function named(port) {
  const names = ADDRESSES.flatMap((_, index) => [`inside-${index}.test`, `inside-${index}.test.`, `mixed-${index}.test`]);
  return names.map((host) => `http://${host}:${port}/`);
}

function changing(port) {
  return QUERIES_BEFORE_CHANGE.map((times) => `http://changes-${times}.test:${port}/fail`);
}

function redirecting(port) {
  return REDIRECTS.map((status) => `http://${ALLOWED}:${port}/${status}`);
}

function redirect({ url }, response, inside) {
  const status = Number(url.slice(1)) || 500;
  response.writeHead(status, status < 400 ? { Location: `http://127.0.0.1:${inside}/` } : {}).end();
}

/** `inside-<n>` has a forbidden address, `mixed-<n>` also an allowed one, and `changes-<n>` changes from the allowed to the forbidden one. */
function zone() {
  const questions = new Map();
  return (name, type) => {
    const [, kind, number] = /^(\w+)-(\d+)\.test$/.exec(name) ?? [];
    if (kind === 'inside') return [ADDRESSES[number]];
    if (kind === 'mixed') return [ALLOWED, ADDRESSES[number]];
    if (type === 'A') questions.set(name, (questions.get(name) ?? 0) + 1);
    return questions.get(name) > Number(number) ? ['127.0.0.1'] : [ALLOWED];
  };
}

/** Creates handlers, and returns the ids of those accepted. */
async function create(client, urls) {
  const ids = [];
  for (const webhook of urls) {
    const { status, text } = await client.send('POST', HANDLERS, { form: { name: 'inside', type: 'webhook', webhook } });
    if (status === 201) ids.push(JSON.parse(text).data.id);
    else if (status !== 400) throw new Error(`Creating a webhook failed with ${status}.`);
  }
  return ids;
}

async function send(client, handlers) {
  for (let from = 0; from < handlers.length; from += 100) {
    const form = { text: 'inside', handler_ids: handlers.slice(from, from + 100).join(',') };
    const { status, text } = await client.send('POST', MESSAGES, { form });
    if (status !== 201) throw new Error(`Sending a message failed with ${status}: ${text}`);
  }
}

/** The outcomes of the handlers' tests. */
async function testAll(client, stage, handlers) {
  const outcomes = [];
  for (const [index, handler] of handlers.entries()) {
    if (index % TESTS_A_MINUTE === 0) await stage.query("DELETE FROM quota_counts WHERE name = 'test'");
    const { status, text } = await client.send('POST', `${HANDLERS}/${handler}/test`);
    outcomes.push(status === 200 ? JSON.parse(text).data.outcome : status);
  }
  return outcomes;
}
