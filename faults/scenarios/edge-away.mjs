import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/servers/free-port.cjs';
import { createLive, hostsInMemory, locationOf } from '../harness/edge.mjs';
import { startHelper } from '../harness/helper.mjs';
import { none, tested, timed } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

/** As the service logs a change of a host. */
const LOG_HOST = `INSERT INTO events (datetime, account_id, action, record, is_audited, is_by_service, host)
  VALUES ('2026-11-21 14:05:09', 0, '', 'domain', 0, 1, ?)`;

export const name = 'edge-away';
const HOSTS = 20;
const BACK_SECONDS = 5;

/** The database is killed, and later started again, while the edge is under load. */
export async function run(context) {
  const seconds = context.either(60, 5);
  const mariadb = await context.mariadb();
  const stage = await context.stage('mariadb');
  const [port, metricsPort] = [await freePort(), await freePort()];
  const service = await stage.start({ EDGE_PORT: String(port), METRICS_PORT: String(metricsPort), DOMAIN_CHECKS: 'off' });
  const hosts = Array.from({ length: HOSTS }, (_, index) => `away-${Date.now()}-${index}.example.com`);
  const [{ id, host }] = await createLive(stage, service, await stage.account('edge'), hosts);
  await until(async () => (await hostsInMemory(metricsPort)) >= HOSTS, 'The last host');
  const load = startHelper('edge-process.mjs', { port, hosts });
  await sleep(500);
  await mariadb.kill();
  await sleep(seconds * 1_000);
  await mariadb.start();
  const begun = performance.now();
  await stage.query("UPDATE domains SET custom_index_url = 'https://example.net/after' WHERE id = ?", [id]);
  await stage.query(LOG_HOST, [host]);
  await until(async () => (await locationOf(port, host)) === 'https://example.net/after', 'The change');
  const back = (performance.now() - begun) / 1_000;
  const { answered, failed } = await load.ask('report');
  await service.end('SIGTERM');
  if (Object.keys(failed).length > 0) context.logProgress(`${name}: ${JSON.stringify(failed)}`);
  return [
    tested(`asks and redirects answered while the database was down for ${seconds} s`, answered),
    none(
      'other responses',
      Object.values(failed).reduce((sum, count) => sum + count, 0),
    ),
    timed(context, 'a change shows after the database is back', back, BACK_SECONDS, 's'),
  ];
}
