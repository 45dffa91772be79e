import Libsql from 'libsql';
import { Clock } from '../src/platform/common/clock';
import { Dialect } from '../src/platform/database/dialect';
import { DomainChanges } from '../src/domains/domain-changes';
import { OperatorVerifications } from '../src/domains/verification/operator-verifications';
import { type TestAccount, useApplication } from './support/application';
import { until } from './support/clock';
import { runCommand } from './support/command';
import { connectTo, onMysql } from './support/database';
import { createDomain, DOMAINS, newHost } from './support/records';
import { readVerification } from './support/verification';
import { countWrites } from './support/write-counter';

const HOUR = 3_600_000;

const { application, database } = useApplication();
let account: TestAccount;
let host: string;
let id: number;

beforeEach(async () => {
  ({ account, host, id } = await createDomain(application()));
});

const changes = () => application().app.get(DomainChanges);
const changedHosts = async () => (await application().rows('domain_changes')).map((change) => change.host);
const verify = () => application().app.get(OperatorVerifications).verify(id);

async function insert(name: string, ageMs: number): Promise<void> {
  const created = application().app.get(Clock).now() - ageMs;
  await application().dataSource.query('INSERT INTO domain_changes (host, created) VALUES (?, ?)', [name, created]);
}

/** The plans of what is read meanwhile. */
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

test('a host that has changed several times is read once, as it is now', async () => {
  await verify();
  const from = await changes().number();
  for (const path of ['a', 'b']) {
    await account.client.post(`${DOMAINS}/${id}`, { custom_index_url: `https://example.org/${path}` }).expect(200);
    await changes().number();
  }
  const gone = newHost();
  await insert(gone, 0);
  const found = await application()
    .app.get(DomainChanges)
    .findChanged(from, await changes().number());
  expect(found).toHaveLength(2);
  expect(found).toContainEqual({ host, domain: { host, indexUrl: 'https://example.org/b', notFoundUrl: '' } });
  expect(found).toContainEqual({ host: gone, domain: undefined });
});

test('a host whose domain is disabled, or not verified, is read as one without a domain', async () => {
  await verify();
  const from = await changes().number();
  await runCommand(database().env, ['domains', 'disable', String(id)]);
  const read = async () =>
    application()
      .app.get(DomainChanges)
      .findChanged(from, await changes().number());
  expect(await read()).toEqual([{ host, domain: undefined }]);
  await runCommand(database().env, ['domains', 'enable', String(id)]);
  await runCommand(database().env, ['domains', 'unverify', String(id)]);
  expect(await read()).toEqual([{ host, domain: undefined }]);
});

if (!onMysql) {
  test('changes are read and pruned by indexes, however many domains there are', async () => {
    const read = await plansOf(() => application().app.get(DomainChanges).findChanged(0, 1));
    expect(read.filter((step) => /^(SCAN (?!changes)|MATERIALIZE (?!changes))/.test(step))).toEqual([]);
    const pruned = await plansOf(() => changes().prune(new AbortController().signal));
    expect(pruned.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });
}

describe('pruning', () => {
  test('deletes what is a day old, and nothing fresh that a clock behind has numbered lower', async () => {
    const [old, fresh, behind] = [newHost(), newHost(), newHost()];
    await insert(old, 25 * HOUR);
    await insert(fresh, 23 * HOUR);
    await insert(behind, 25 * HOUR);
    await changes().prune(new AbortController().signal);
    const left = await changedHosts();
    expect([old, fresh, behind].filter((each) => left.includes(each))).toEqual([fresh]);
  });

  test('deletes in batches, between which others write', async () => {
    for (let row = 0; row < 501; row++) await insert(host, 25 * HOUR);
    const deletions = countWrites(application(), 'DELETE FROM domain_changes');
    await changes().prune(new AbortController().signal);
    expect(deletions()).toBe(2); // one in each transaction
    expect(await changedHosts()).not.toContain(host);
  });
});

if (onMysql) {
  test('a domain that a look verifies while it is deleted is noted as deleted, too', async () => {
    await readVerification(account, id);
    const look = await connectTo(database().env.DATABASE_URL);
    await look.beginTransaction();
    await look.query("UPDATE domain_verifications SET status = 'verified' WHERE domain_id = ?", [id]);
    await look.query('INSERT INTO domain_changes (host, created) VALUES (?, ?)', [host, Date.now()]);
    const deletion = account.client.delete(`${DOMAINS}/${id}`).then((response) => response);
    const waiting = `SELECT id FROM information_schema.PROCESSLIST WHERE db = DATABASE()
      AND info LIKE 'DELETE FROM domains%'`;
    await until(
      async () => ((await look.query(waiting))[0] as unknown[]).length,
      (count) => count > 0,
    );
    await look.commit();
    await look.end();
    expect((await deletion).status).toBe(200);
    expect((await application().loggedHosts()).filter((each) => each === host)).toHaveLength(2);
  });
}
