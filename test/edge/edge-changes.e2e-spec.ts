/** @mysql whole */
import { connectTo, onMysql } from '../support/servers/database';
import { INDEX_URL, NOT_FOUND_URL, operate, runSql, untilEqual, useEdge } from '../support/http/edge';
import { DOMAINS, LOG_HOST, newHost } from '../support/areas/records';
import { longTest } from '../support/jest/size';

const served = useEdge();

test('hosts that were live before the start are served', async () => {
  const edge = served();
  const { host } = edge.takeLive();
  expect(await edge.location(host)).toBe(INDEX_URL);
  expect(await edge.ask(host)).toBe(200);
});

test('changes through the API are applied', async () => {
  const edge = served();
  const { id, host } = edge.takeLive();
  await edge.send('POST', `${DOMAINS}/${id}`, { custom_index_url: 'https://example.net/new' });
  await untilEqual(() => edge.location(host), 'https://example.net/new');
  expect(await edge.location(host, '/a')).toBe(NOT_FOUND_URL);

  const renamed = newHost();
  await edge.send('POST', `${DOMAINS}/${id}`, { host: renamed });
  await untilEqual(() => edge.location(host), 404);
  expect([await edge.location(renamed), await edge.ask(renamed), await edge.ask(host)]).toEqual([404, 404, 404]);
  await edge.verify({ id });
  await untilEqual(() => edge.location(renamed), 'https://example.net/new');

  await edge.send('DELETE', `${DOMAINS}/${id}`);
  await untilEqual(() => edge.location(renamed), 404);
  expect(await edge.ask(renamed)).toBe(404);
});

test('changes through commands are applied', async () => {
  const edge = served();
  const { id, host } = edge.takeLive();
  await operate(edge.database, 'disable', id);
  await untilEqual(() => edge.location(host), 404);
  expect(await edge.ask(host)).toBe(404);
  await operate(edge.database, 'enable', id);
  await untilEqual(() => edge.ask(host), 200);
  await untilEqual(() => edge.location(host), INDEX_URL);
});

test('a domain that loses its verification is no longer served', async () => {
  const edge = served();
  const domain = edge.takeLive();
  await edge.unverify(domain);
  await untilEqual(() => edge.ask(domain.host), 404);
  await untilEqual(() => edge.location(domain.host), 404);
});

test('ask returns 404 until the host becomes live', async () => {
  const edge = served();
  const domain = await edge.createDomain();
  expect([await edge.ask(domain.host), await edge.ask(domain.host)]).toEqual([404, 404]);
  await edge.verify(domain);
  await untilEqual(() => edge.ask(domain.host), 200);
});

longTest('a restored backup, with lower event numbers, reloads all hosts', async () => {
  const edge = served();
  const { id, host } = await edge.createLive(); // all hosts are loaded by then
  await runSql(edge.database, "UPDATE domains SET custom_index_url = 'https://example.net/restored' WHERE id = ?", [id]);
  await edge.untilShown();
  expect(await edge.location(host)).toBe(INDEX_URL); // nothing told of the change
  await runSql(edge.database, 'UPDATE event_log SET last = last - 1');
  await untilEqual(() => edge.location(host), 'https://example.net/restored');
});

if (onMysql) {
  test('a transaction that commits after later ones is not missed', async () => {
    const edge = served();
    const { id, host } = edge.takeLive();
    const slow = await connectTo(edge.database.env.DATABASE_URL);
    await slow.beginTransaction();
    await slow.query(LOG_HOST, [host]);
    await slow.query("UPDATE domains SET custom_index_url = 'https://example.net/late' WHERE id = ?", [id]);
    await edge.untilShown(); // later ones, whose rows have higher ids
    expect(await edge.location(host)).toBe(INDEX_URL);
    await slow.commit();
    await slow.end();
    await untilEqual(() => edge.location(host), 'https://example.net/late');
  });
}

longTest('more changes than one cycle’s batch are all applied', async () => {
  const edge = served();
  const first = await edge.createLive(); // all hosts are loaded by then
  const [second, third] = [edge.takeLive(), edge.takeLive()];
  const domains = [first, second, third];
  const url = 'https://example.net/part';
  for (const { id } of domains) await runSql(edge.database, 'UPDATE domains SET custom_index_url = ? WHERE id = ?', [url, id]);
  // A step reads 20 numbers: these are in the first part, the second and the third.
  const hosts: string[] = Array.from({ length: 50 }, () => newHost());
  for (const [index, { host }] of domains.entries()) hosts[index * 24] = host;
  const common = "'2026-11-21 14:05:09', 0, '', 'domain', 0";
  const numbered = hosts.map((_, index) => `(${common}, ?, (SELECT last + ${index + 1} FROM event_log))`);
  const columns = 'datetime, account_id, action, record, is_audited, host, number';
  await runSql(edge.database, `INSERT INTO events (${columns}) VALUES ${numbered.join()}`, hosts);
  await runSql(edge.database, 'UPDATE event_log SET last = last + 50');
  for (const { host } of domains) await untilEqual(() => edge.location(host), url);
});
