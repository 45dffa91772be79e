import { connectTo, createDatabase, onMysql, type TestDatabase } from './support/database';
import { type EdgeServer, INDEX_URL, NOT_FOUND_URL, runSql, untilEqual, withEdge } from './support/edge';
import { runProcess } from './support/command';
import { DOMAINS, newHost } from './support/records';

let database: TestDatabase;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

const withLive = (work: (edge: EdgeServer, domain: { id: number; host: string }) => Promise<void>) =>
  withEdge(database, {}, async (edge) => work(edge, await edge.createLive()));

test('hosts that were live before the start are answered', async () => {
  let host = '';
  await withLive((_, live) => Promise.resolve(void (host = live.host)));
  await withEdge(database, {}, async (edge) => {
    expect(await edge.location(host)).toBe(INDEX_URL);
    expect(await edge.ask(host)).toBe(200);
  });
});

test('changes by the interface show', async () => {
  await withLive(async (edge, { id, host }) => {
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
});

test('changes by the command line show', async () => {
  await withLive(async (edge, { id, host }) => {
    const env = { ...database.env, PATH: process.env.PATH };
    expect((await runProcess(env, 'domains', 'disable', String(id))).code).toBe(0);
    await untilEqual(() => edge.location(host), 404);
    expect(await edge.ask(host)).toBe(404);
    expect((await runProcess(env, 'domains', 'enable', String(id))).code).toBe(0);
    await untilEqual(() => edge.ask(host), 200);
    await untilEqual(() => edge.location(host), INDEX_URL);
  });
});

test('a domain that is verified no more is answered no more', async () => {
  await withLive(async (edge, domain) => {
    await edge.unverify(domain);
    await untilEqual(() => edge.ask(domain.host), 404);
    await untilEqual(() => edge.location(domain.host), 404);
  });
});

test('a remembered no is dropped when its host becomes live', async () => {
  await withLive(async (edge) => {
    const domain = await edge.createDomain();
    expect([await edge.ask(domain.host), await edge.ask(domain.host)]).toEqual([404, 404]);
    await edge.verify(domain);
    await untilEqual(() => edge.ask(domain.host), 200);
  });
});

test('a database with lower numbers than before is a restored backup: all hosts are loaded anew', async () => {
  await withLive(async (edge, { id, host }) => {
    await runSql(database, "UPDATE domains SET custom_index_url = 'https://example.net/restored' WHERE id = ?", [id]);
    await edge.untilShown();
    expect(await edge.location(host)).toBe(INDEX_URL); // nothing told of the change
    await runSql(database, 'UPDATE domain_change_sequences SET last = last - 1');
    await untilEqual(() => edge.location(host), 'https://example.net/restored');
  });
});

if (onMysql) {
  test('a transaction that commits after later ones is not missed', async () => {
    await withLive(async (edge, { id, host }) => {
      const slow = await connectTo(database.env.DATABASE_URL);
      await slow.beginTransaction();
      await slow.query('INSERT INTO domain_changes (host, created) VALUES (?, ?)', [host, Date.now()]);
      await slow.query("UPDATE domains SET custom_index_url = 'https://example.net/late' WHERE id = ?", [id]);
      await edge.untilShown(); // later ones, whose rows have higher ids
      expect(await edge.location(host)).toBe(INDEX_URL);
      await slow.commit();
      await slow.end();
      await untilEqual(() => edge.location(host), 'https://example.net/late');
    });
  });
}

test('more changes than one step reads show, whichever part they are in', async () => {
  await withLive(async (edge, first) => {
    const [second, third] = [await edge.createLive(), await edge.createLive()];
    const domains = [first, second, third];
    const url = 'https://example.net/part';
    for (const { id } of domains) await runSql(database, 'UPDATE domains SET custom_index_url = ? WHERE id = ?', [url, id]);
    // A step reads 20 numbers: these are in the first part, the second and the third.
    const hosts: string[] = Array.from({ length: 50 }, () => newHost());
    for (const [index, { host }] of domains.entries()) hosts[index * 24] = host;
    const numbered = hosts.map((_, index) => `(?, ${Date.now()}, (SELECT last + ${index + 1} FROM domain_change_sequences))`);
    await runSql(database, `INSERT INTO domain_changes (host, created, sequence) VALUES ${numbered.join()}`, hosts);
    await runSql(database, 'UPDATE domain_change_sequences SET last = last + 50');
    for (const { host } of domains) await untilEqual(() => edge.location(host), url);
  });
});
