/** @mysql always */
import Libsql from 'libsql';
import { Dialect } from '../../src/platform/database/dialect';
import { EventNumbers } from '../../src/platform/database/events/event-numbers';
import { DomainChanges } from '../../src/domains/domain-changes';
import { OperatorVerifications } from '../../src/domains/verification/operator-verifications';
import { type TestAccount, useApplication } from '../support/http/application';
import { until } from '../support/jest/clock';
import { runCommand } from '../support/areas/command';
import { connectTo, onMysql } from '../support/servers/database';
import { createDomain, DOMAINS, LOG_HOST, newHost } from '../support/areas/records';
import { readVerification } from '../support/areas/verification';

const { application, database } = useApplication();
let account: TestAccount;
let host: string;
let id: number;

beforeEach(async () => {
  ({ account, host, id } = await createDomain(application()));
});

/** A new instance, as an edge process has. */
const changes = () => new DomainChanges(application().app.get(Dialect), application().app.get(EventNumbers));
const verify = () => application().app.get(OperatorVerifications).verify(id);

/** The query plans of all reads of `work`. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  await work();
  const calls = [...reads.mock.calls];
  reads.mockRestore();
  const connection = new Libsql(database().env.DATABASE_URL.slice('sqlite:'.length));
  const steps = calls.flatMap(([sql, values]) => connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values));
  connection.close();
  return (steps as { detail: string }[]).map(({ detail }) => detail);
}

test('a host that changed several times is read once, in its current state', async () => {
  await verify();
  const from = await changes().numberChanges();
  for (const path of ['a', 'b']) {
    await account.client.post(`${DOMAINS}/${id}`, { custom_index_url: `https://example.org/${path}` }).expect(200);
    await changes().numberChanges();
  }
  const gone = newHost();
  await application().dataSource.query(LOG_HOST, [gone]);
  const found = await changes().findChanged(from, await changes().numberChanges());
  expect(found).toHaveLength(2);
  expect(found).toContainEqual({ host, domain: { host, indexUrl: 'https://example.org/b', notFoundUrl: '' } });
  expect(found).toContainEqual({ host: gone, domain: undefined });
});

test('a disabled or unverified domain reads as none', async () => {
  await verify();
  const from = await changes().numberChanges();
  await runCommand(database().env, ['domains', 'disable', String(id)]);
  const read = async () => changes().findChanged(from, await changes().numberChanges());
  expect(await read()).toEqual([{ host, domain: undefined }]);
  await runCommand(database().env, ['domains', 'enable', String(id)]);
  await runCommand(database().env, ['domains', 'unverify', String(id)]);
  expect(await read()).toEqual([{ host, domain: undefined }]);
});

if (!onMysql) {
  test('changes are read through indexes', async () => {
    await verify();
    const last = await changes().numberChanges();
    const read = await plansOf(() => changes().findChanged(0, last));
    expect(read).toContainEqual(expect.stringContaining('SEARCH'));
    expect(read.filter((step) => /^(SCAN (?!changes)|MATERIALIZE (?!changes))/.test(step))).toEqual([]);
  });
}

if (onMysql) {
  test('a domain verified during its deletion is logged as deleted, too', async () => {
    await readVerification(account, id);
    const check = await connectTo(database().env.DATABASE_URL);
    await check.beginTransaction();
    await check.query("UPDATE domain_verifications SET status = 'verified' WHERE domain_id = ?", [id]);
    await check.query(LOG_HOST, [host]);
    const deletion = account.client.delete(`${DOMAINS}/${id}`).then((response) => response);
    const waiting = `SELECT id FROM information_schema.PROCESSLIST WHERE db = DATABASE()
      AND info LIKE 'DELETE FROM domains%'`;
    await until(
      async () => ((await check.query(waiting))[0] as unknown[]).length,
      (count) => count > 0,
    );
    await check.commit();
    await check.end();
    expect((await deletion).status).toBe(200);
    expect((await application().loggedHosts()).filter((each) => each === host)).toHaveLength(2);
  });
}
