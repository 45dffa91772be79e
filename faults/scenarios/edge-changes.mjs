import { freePort } from '../../test/support/servers/free-port.cjs';
import { Client, DOMAINS } from '../harness/client.mjs';
import { createLive, INDEX_URL, locationOf } from '../harness/edge.mjs';
import { startHelper } from '../harness/helper.mjs';
import { none, tested, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'edge-changes';
const WORKERS = 4;
const EDGE_PROCESSES = 2;
const PROPAGATION_SECONDS = 2;
/** Consecutive new connections with the same response: the chance that they missed a process is 1 in 10^24. */
const CONNECTIONS_PER_CHECK = 80;

/** Changes take effect in every process of the edge, and replacing the processes fails no request. */
export async function run(context) {
  const times = context.either(20, 4);
  const rolls = context.either(5, 1);
  const stage = await context.stage('mariadb');
  const account = await stage.account('edge');
  const port = await freePort();
  const service = await stage.start({ WORKERS: String(WORKERS), EDGE_PORT: String(port), DOMAIN_CHECKS: 'off' });
  const [{ id, host }, still] = await createLive(stage, service, account, [
    `changes-${Date.now()}.example.com`,
    `still-${Date.now()}.example.com`,
  ]);
  await until(() => isEverywhere(port, still.host, INDEX_URL), 'The first domains');
  const client = new Client(service.port, account.key);
  let slowest = 0;
  for (let time = 0; time < times; time++) {
    const url = `https://example.net/${time}`;
    const { status } = await client.send('POST', `${DOMAINS}/${id}`, { form: { custom_index_url: url } });
    if (status !== 200) throw new Error(`A change failed with ${status}.`);
    const begun = performance.now();
    await until(() => isEverywhere(port, host, url), 'The change');
    slowest = Math.max(slowest, (performance.now() - begun) / 1_000);
  }
  client.close();
  const load = startHelper('edge-process.mjs', { port, hosts: [still.host] });
  for (let roll = 0; roll < rolls; roll++) {
    const before = service.workers();
    service.signal('SIGHUP');
    await until(() => isRolled(before, service.workers()), 'A roll of the workers');
  }
  const { answered, failed } = await load.ask('report');
  await service.end('SIGTERM');
  if (Object.keys(failed).length > 0) context.logProgress(`${name}: ${JSON.stringify(failed)}`);
  return [
    timed(context, `slowest of ${times} changes at every process of the edge`, slowest, PROPAGATION_SECONDS, 's'),
    tested(`asks and redirects answered, ${rolls} SIGHUPs`, answered),
    none(
      'other responses',
      Object.values(failed).reduce((sum, count) => sum + count, 0),
    ),
  ];
}

async function isEverywhere(port, host, url) {
  for (let count = 0; count < CONNECTIONS_PER_CHECK; count += 10) {
    const locations = await Promise.all(Array.from({ length: 10 }, () => locationOf(port, host)));
    if (locations.some((location) => location !== url)) return false;
  }
  return true;
}

function isRolled(before, now) {
  return now.length === WORKERS + EDGE_PROCESSES && !now.some((pid) => before.includes(pid));
}
