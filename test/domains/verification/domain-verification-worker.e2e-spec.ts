/** @mysql whole */
import { Clock } from '../../../src/platform/common/clock';
import { Metrics } from '../../../src/platform/observability/metrics';
import { Domain } from '../../../src/domains/domain.entity';
import { CheckWorker } from '../../../src/domains/verification/check-worker';
import { type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { holdClock, until } from '../../support/jest/clock';
import { DOMAINS, newHost } from '../../support/areas/records';
import { check, codesOf, deleteVerification, pathOf, readVerification, setTxt } from '../../support/areas/verification';
import { zone } from '../../support/areas/zone';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

const { application, database } = useApplication(() => ({ DNS_SERVERS: zone.server.address, DOMAIN_CHECKS: 'on' }));
let clock: { move(milliseconds: number): void };
let account: TestAccount;
let hours = 0;

/** Hours apart, so that tests don't share the limits per second. */
beforeEach(async () => {
  await application().dataSource.query('DELETE FROM domains');
  clock = holdClock(application());
  clock.move(++hours * HOUR);
  account = await application().createAccount();
});

const now = () => application().app.get(Clock).now();
const create = (host = newHost(), owner = account) => owner.client.create(DOMAINS, { host });
/** A new domain may otherwise be noticed a second later. */
const wake = () => application().app.get(CheckWorker).loop.wake();
interface Row {
  id: number;
  domain_id: number;
  status: string;
  checks: number;
  misses: number;
  due: number | string | null;
  checked: number | string | null;
}
const rowOf = async (id: number) =>
  ((await application().rows('domain_verifications')) as unknown as Row[]).find((row) => row.domain_id === id)!;
/** Waits for a check at the current time, and returns the row. */
const checked = (id: number) =>
  until(
    () => rowOf(id),
    (row) => Number(row.checked) === now(),
  );
const wait = async (id: number) => Number((await rowOf(id)).due) - now();

/** Inserts domains and their verifications, due now. */
async function insert(hosts: string[], accountId = account.id): Promise<void> {
  const { dataSource } = application();
  for (const host of hosts) {
    await dataSource.query(
      "INSERT INTO domains (account_id, scheme, host, custom_index_url, custom_not_found_url, is_enabled, datetime) VALUES (?, 'https://', ?, '', '', 1, '2026-11-21 12:00:00')",
      [accountId, host],
    );
  }
  await dataSource.query(
    "INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, started, checks, due, misses, problems) SELECT account_id, id, host, 'pending', 0, ?, 0, ?, 0, '[]' FROM domains WHERE account_id = ?",
    [now(), now(), accountId],
  );
}

const labels = (count: number, domain: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `h${index}.${domain(index)}`);
const DOUBLED = /(\.[^ ]+)\1 TXT$/;
/** Hosts that were queried, each once. */
const asked = () =>
  [...new Set(zone.server.questions)]
    .filter((question) => question.startsWith('_frontdesk.') && !DOUBLED.test(question))
    .map((question) => question.slice(11, -4));

/** Holds every answer; `most` is the greatest number of hosts that waited at once. */
function holdAnswers(): { most: () => number; at: () => number; release: () => void } {
  const waiting = new Set<string>();
  let [most, release] = [0, () => {}];
  const held = new Promise<void>((resolve) => (release = resolve));
  zone.before = async (name) => {
    waiting.add(name);
    most = Math.max(most, waiting.size);
    await held;
    waiting.delete(name);
  };
  return { most: () => most, at: () => waiting.size, release: () => release() };
}

test('a new domain is checked at once, on a retry schedule, and fails after seven days', async () => {
  const id = await create();
  for (const expected of [10 * SECOND, MINUTE]) {
    expect(await checked(id)).toMatchObject({ status: 'pending' });
    expect(await wait(id)).toBe(expected);
    clock.move(expected);
  }
  await checked(id);
  expect(codesOf(await readVerification(account, id))).toEqual(['txt_missing']);
  clock.move(7 * DAY);
  expect(await checked(id)).toMatchObject({ status: 'failed' });
  expect(await readVerification(account, id)).toMatchObject({ status: 'failed', next_check: null });
  clock.move(30 * DAY);
  expect(await check(account, id)).toMatchObject({ status: 'pending' });
  expect(await wait(id)).toBe(10 * SECOND);
});

test('a verified domain is checked daily, and becomes pending after three misses', async () => {
  const id = await create();
  await setTxt(account, id);
  const record = (await readVerification(account, id)).records[0];
  clock.move(10 * SECOND);
  await until(
    () => rowOf(id),
    ({ status }) => status === 'verified',
  );
  expect(await wait(id)).toBe(DAY);
  zone.records.clear();
  for (const misses of [1, 2]) {
    clock.move(DAY);
    expect(await checked(id)).toMatchObject({ status: 'verified', misses });
  }
  clock.move(DAY);
  expect(await checked(id)).toMatchObject({ status: 'pending', misses: 0 });
  expect(await wait(id)).toBe(10 * SECOND);
  const changes = (await application().loggedHosts()).filter((host) => record.name.endsWith(host));
  expect(changes).toHaveLength(2); // served by the edge, then no longer served
});

test('a due check runs once, in one process', async () => {
  const held = holdAnswers();
  const host = newHost();
  await withApplication({ ...database().env, DNS_SERVERS: zone.server.address, DOMAIN_CHECKS: 'on' }, async (other) => {
    holdClock(other);
    const id = await create(host);
    for (const { app } of [application(), other]) app.get(CheckWorker).loop.wake();
    await until(held.at, (count) => count === 1);
    expect(await wait(id)).toBe(30 * SECOND); // the lease
    for (const { app } of [application(), other]) app.get(CheckWorker).loop.wake();
    held.release();
    await checked(id);
  });
  expect(zone.server.questions.filter((question) => question === `_frontdesk.${host} TXT`)).toHaveLength(1);
});

test('a result is dropped if another process has taken the lease', async () => {
  const held = holdAnswers();
  const [id, next] = [await create(), newHost()];
  clock.move(0);
  await until(held.at, (count) => count === 1);
  await application().dataSource.query('UPDATE domain_verifications SET due = due + 1');
  held.release();
  const later = await create(next);
  clock.move(SECOND);
  await checked(later);
  expect(await rowOf(id)).toMatchObject({ checked: null, checks: 0 });
});

test('an expired lease is taken over', async () => {
  const held = holdAnswers();
  const id = await create();
  clock.move(0);
  await until(held.at, (count) => count === 1);
  clock.move(30 * SECOND); // the same process takes it here
  await until(
    () => rowOf(id),
    ({ due }) => Number(due) === now() + 30 * SECOND,
  );
  held.release();
  await checked(id);
});

const settled = async () => (await application().rows('domain_verifications')).filter(({ checked }) => checked !== null).length;

test('at most 8 domains per account are checked at once', async () => {
  const held = holdAnswers();
  await insert(labels(20, (host) => `example-${host}.org`));
  clock.move(0);
  await until(held.at, (count) => count === 8);
  held.release();
  await until(settled, (count) => count === 20);
  expect(held.most()).toBe(8);
});

test('at most 5 hosts per registrable domain are checked per second, across accounts', async () => {
  const other = await application().createAccount();
  await insert(labels(6, () => 'one.example.co.uk'));
  await insert(
    labels(6, () => 'two.example.co.uk'),
    other.id,
  );
  for (const expected of [5, 10, 12]) {
    clock.move(SECOND);
    await until(settled, (count) => count >= expected);
    expect(asked()).toHaveLength(expected);
  }
});

test('a backlog of one account does not delay another', async () => {
  await insert(labels(300, (host) => `example-${host}.info`));
  await application().dataSource.query('UPDATE domain_verifications SET due = due - 60000');
  const other = await application().createAccount();
  const id = await create(newHost(), other);
  clock.move(0);
  await until(
    () => rowOf(id),
    ({ checked }) => checked !== null,
  );
  expect(asked().length).toBeLessThanOrEqual(50);
});

test.each<[string, (domain: Domain) => Promise<unknown>]>([
  ['created over HTTP', async (domain) => Object.assign(domain, { id: await create(domain.host) })],
  ['saved by a repository', (domain) => application().dataSource.getRepository(Domain).save(domain)],
  ['inserted by a repository', (domain) => application().dataSource.getRepository(Domain).insert(domain)],
  ['inserted in a TypeORM transaction', (domain) => application().dataSource.transaction((manager) => manager.insert(Domain, domain))],
])('a domain %s has a verification', async (_, write) => {
  const domain = Object.assign(new Domain(), { account_id: account.id, host: newHost() });
  await write(domain);
  expect(await rowOf(domain.id)).toMatchObject({ account_id: account.id, host: domain.host, status: 'pending' });
});

test('a rollback of the domain rolls back its verification', async () => {
  const domain = Object.assign(new Domain(), { account_id: account.id, host: newHost() });
  const failing = application().dataSource.transaction(async (manager) => {
    await manager.insert(Domain, domain);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await rowOf(domain.id)).toBeUndefined();
});

describe('domain that other software inserted', () => {
  const insertAlone = async () => {
    const id = await create();
    await deleteVerification(application(), id);
    return id;
  };
  const pending = async () =>
    ((await account.client.get(`${DOMAINS}?verification_status=pending`).expect(200)).body as { data: { id: number }[] }).data.map(
      (each) => each.id,
    );

  test('the first read creates a missing verification', async () => {
    const id = await insertAlone();
    expect([await rowOf(id), await pending()]).toEqual([undefined, [id]]);
    expect(await readVerification(account, id)).toMatchObject({ status: 'pending', checked: null, problems: [] });
    expect([await rowOf(id), await pending()]).toMatchObject([{ status: 'pending' }, [id]]);
  });

  test('concurrent reads and checks create one verification, of the last host', async () => {
    const [id, host] = [await insertAlone(), newHost()];
    await account.client.post(`${DOMAINS}/${id}`, { host }).expect(200);
    await Promise.all([readVerification(account, id), check(account, id)]);
    const rows = (await application().rows('domain_verifications')) as unknown as (Row & { host: string })[];
    expect(rows.filter((row) => row.domain_id === id)).toMatchObject([{ host }]);
  });
});

test('metrics count checks by result and report how late they are', async () => {
  const [id, found] = [await create(), await create()];
  await setTxt(account, found);
  wake();
  await Promise.all([checked(id), checked(found)]);
  await withApplication({ ...database().env, DNS_SERVERS: zone.server.address, METRICS_PORT: '1' }, async (other) => {
    const client = other.client(account.key);
    for (const domain of [id, found, found]) await client.post(pathOf(domain)).expect(200);
    const { registry } = other.app.get(Metrics);
    holdClock(other).move(1_000 * DAY);
    const lines = (await registry.metrics()).split('\n');
    expect(lines.filter((line) => line.startsWith('frontdesk_domain_checks_total')).sort()).toEqual([
      'frontdesk_domain_checks_total{result="found"} 2',
      'frontdesk_domain_checks_total{result="missing"} 1',
    ]);
    expect(Number(lines.find((line) => line.startsWith('frontdesk_domain_checks_late_seconds'))!.split(' ')[1])).toBeGreaterThan(86_400);
  });
});
