/** @mysql whole */
import { Dialect } from '../../../../src/platform/database/dialect';
import { Delivery } from '../../../../src/deliveries/delivery.entity';
import { Message } from '../../../../src/messages/message.entity';
import { NotificationHandler } from '../../../../src/notification-handlers/notification-handler.entity';
import { type TestAccount, useApplication, withApplication } from '../../../support/http/application';
import { type Client, untilServed } from '../../../support/http/client';
import { stopClock } from '../../../support/jest/clock';
import { connectTo, onMysql } from '../../../support/servers/database';
import { createWebhook } from '../../../support/areas/deliveries';
import { insertRows } from '../../../support/areas/insert-rows';
import { DELIVERIES, DOMAINS, MESSAGES, newHost, insertDomains } from '../../../support/areas/records';
import { sized } from '../../../support/jest/size';

/** Nothing is sent, so every delivery stays pending. */
const { application, database } = useApplication({ DELIVERY_CONCURRENCY: '0' });
const HANDLERS = 1_000;
const SENDERS = 8;
const BEFORE = 2_400;
const MESSAGES_EACH = sized(1, 6);
/** Large enough to have its counts cached. */
const MANY = 5_200;

interface Envelope {
  data: { id: number }[];
  meta: { total: number; total_pages: number };
}

async function read(client: Client, path: string): Promise<Envelope> {
  const { status, body } = await untilServed(() => client.get(path));
  expect([path, status]).toEqual([path, 200]);
  return body as Envelope;
}

/** The ids of all pages. */
async function walk(client: Client, path: string): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, meta } = await read(client, `${path}results_per_page=1000&page=${page}`);
    ids.push(...data.map(({ id }) => id));
    pages = meta.total_pages;
  }
  return ids;
}

async function storedIds(table: string, { id }: TestAccount): Promise<number[]> {
  const rows = await application().dataSource.query<{ id: number }[]>(`SELECT id FROM ${table} WHERE account_id = ${id} ORDER BY id`);
  return rows.map((row) => row.id);
}

describe('lists of an account that sends to a thousand handlers', () => {
  let account: TestAccount;
  let acknowledged: number;

  beforeAll(async () => {
    account = await application().createAccount();
    await createWebhook(account, 'https://receiver.example.com/');
    const [handler] = (await application().rows('notification_handlers')).map(({ id: _, ...columns }) => columns);
    const rows = Array.from({ length: HANDLERS - 1 }, () => handler);
    await insertRows(application().dataSource, NotificationHandler, rows);
    await insertBefore();
    acknowledged = 0;
  });

  /** Enough messages, with one delivery each, for the counts of both to be cached. */
  async function insertBefore(): Promise<void> {
    const { dataSource } = application();
    const common = { account_id: account.id, datetime: '2026-11-21 10:00:00' };
    const message = { ...common, title: '', text: 'before', url: '' };
    await insertRows(dataSource, Message, Array<object>(BEFORE).fill(message));
    const delivery = {
      ...common,
      handler_id: 0,
      type: 'webhook',
      lane: 'none',
      status: 'pending',
      attempts: 0,
      tries: 0,
      is_counted: 0,
      part: '',
    };
    const messages = await storedIds('messages', account);
    await insertRows(
      dataSource,
      Delivery,
      messages.map((message_id) => ({ ...delivery, message_id })),
    );
  }

  /** Path, and its least total after this number of acknowledged messages. */
  const LISTS: [path: string, least: (messages: number) => number][] = [
    [`${DELIVERIES}?results_per_page=10`, (messages) => messages * HANDLERS + BEFORE],
    [`${DELIVERIES}?results_per_page=10&page=300`, (messages) => messages * HANDLERS + BEFORE],
    [`${DELIVERIES}?results_per_page=10&sort=desc`, (messages) => messages * HANDLERS + BEFORE],
    [`${DELIVERIES}?results_per_page=10&status=pending`, (messages) => messages * HANDLERS + BEFORE],
    [`${DELIVERIES}?results_per_page=10&orderby=datetime&sort=desc`, (messages) => messages * HANDLERS + BEFORE],
    [`${MESSAGES}?results_per_page=10`, (messages) => messages + BEFORE],
    [`${MESSAGES}?results_per_page=10&created_from=2026-11-21`, (messages) => messages + BEFORE],
  ];

  async function send(): Promise<void> {
    for (let number = 0; number < MESSAGES_EACH; number++) {
      const { status } = await untilServed(() => account.client.post(MESSAGES, { text: 'The backup failed.' }));
      expect(status).toBe(201);
      acknowledged++;
    }
  }

  /** Returns the reads whose total was too low. */
  async function readUntil(isOver: () => boolean, client: Client, path: string, least: (messages: number) => number): Promise<string[]> {
    const short: string[] = [];
    for (let isLast = false; !isLast;) {
      isLast = isOver();
      const bound = least(acknowledged);
      const { meta } = await read(client, path);
      if (meta.total < bound) short.push(`${path}: ${meta.total} of ${bound}`);
    }
    return short;
  }

  test('no total is ever lower than the number of acknowledged records', async () => {
    await withApplication({ ...database().env, DELIVERY_CONCURRENCY: '0' }, async (other) => {
      let isOver = false;
      const senders = Promise.all(Array.from({ length: SENDERS }, send)).finally(() => (isOver = true));
      const clients = [account.client, other.client(account.key)];
      const readers = LISTS.map(([path, least], index) => readUntil(() => isOver, clients[index % 2], path, least));
      await senders;
      expect((await Promise.all(readers)).flat()).toEqual([]);
      expect(acknowledged).toBe(SENDERS * MESSAGES_EACH);
      for (const client of clients) {
        for (const [path, least] of LISTS) expect([path, (await read(client, path)).meta.total]).toEqual([path, least(acknowledged)]);
        expect(await walk(client, `${DELIVERIES}?`)).toEqual(await storedIds('deliveries', account));
      }
    });
  });

  test('totals are exact once writing stops, at any age of the cached counts', async () => {
    const clock = stopClock();
    for (const age of [0, 2_100, 5_100, 11_000, 301_000]) {
      clock.move(age);
      for (const [path, least] of LISTS)
        expect([age, path, (await read(account.client, path)).meta.total]).toEqual([age, path, least(acknowledged)]);
    }
  });
});

/** On SQLite, transactions commit in the order of their ids. */
(onMysql ? describe : describe.skip)('a transaction that commits after later inserts', () => {
  const ORDERED = `${DOMAINS}?orderby=datetime&results_per_page=100&page=26`;
  const LISTS = [`${DOMAINS}?page=1`, `${DOMAINS}?sort=desc`, `${DOMAINS}?scheme=https://`, ORDERED];

  /** Inserts a domain as the service does, and then newer ones, which are committed first. Returns its commit. */
  async function insertLate({ id }: TestAccount): Promise<() => Promise<void>> {
    const connection = await connectTo(database().env.DATABASE_URL);
    await connection.beginTransaction();
    const insert = 'INSERT INTO domains (account_id, scheme, host, custom_index_url, custom_not_found_url, is_enabled, datetime)';
    await connection.query(`${insert} VALUES (?, 'https://', ?, '', '', 1, '2026-11-21 10:00:00')`, [id, newHost()]);
    await connection.query(`INSERT INTO list_changes VALUES (?, 'domains', 1000, 1, 0, 0, 0)`, [id]);
    await insertDomains(application(), id, 250);
    return async () => {
      await connection.commit();
      await connection.end();
    };
  }

  async function readAll({ client }: TestAccount): Promise<void> {
    const clock = stopClock();
    for (const age of [0, 5_100, 100]) {
      clock.move(age);
      for (const path of LISTS) await read(client, path);
    }
  }

  /** Reads a sorted page until it comes from the walked order. */
  async function walkOrder({ client }: TestAccount): Promise<void> {
    const reads = jest.spyOn(application().app.get(Dialect), 'read');
    const isWalked = () => reads.mock.calls.some(([sql]) => sql.includes('FROM domains WHERE id IN'));
    while (!isWalked()) await read(client, ORDERED);
    reads.mockRestore();
  }

  test.each(['cached', 'not cached'])('its record is in every list at once, with counts that are %s', async (state) => {
    const account = await application().createAccount();
    await insertDomains(application(), account.id, MANY);
    if (state === 'cached') await readAll(account);
    const commit = await insertLate(account);
    if (state === 'cached') await readAll(account);
    await commit();
    const ids = await storedIds('domains', account);
    for (const path of LISTS) expect([path, (await read(account.client, path)).meta.total]).toEqual([path, MANY + 251]);
    for (const filter of ['', 'scheme=https://&']) expect(await walk(account.client, `${DOMAINS}?${filter}`)).toEqual(ids);
    expect(await walk(account.client, `${DOMAINS}?sort=desc&`)).toEqual(ids.toReversed());
    expect(new Set(await walk(account.client, `${DOMAINS}?orderby=datetime&`))).toEqual(new Set(ids));
  });

  test('its record is in an order that was walked before the commit', async () => {
    const account = await application().createAccount();
    await insertDomains(application(), account.id, MANY);
    const commit = await insertLate(account);
    await walkOrder(account);
    await commit();
    expect((await read(account.client, ORDERED)).meta.total).toBe(MANY + 251);
    expect(new Set(await walk(account.client, `${DOMAINS}?orderby=datetime&`))).toEqual(new Set(await storedIds('domains', account)));
  });

  test('its record does not shift a page by descending id', async () => {
    const account = await application().createAccount();
    await insertDomains(application(), account.id, MANY);
    await readAll(account);
    const commit = await insertLate(account);
    const dialect = application().app.get(Dialect);
    const readRows = dialect.read.bind(dialect);
    const states: string[] = [];
    jest.spyOn(dialect, 'read').mockImplementation(async (sql, values) => {
      const rows = await readRows(sql, values);
      if (sql.startsWith('SELECT (SELECT COUNT(*) FROM domains') && states.push(sql) === 1) await commit();
      return rows;
    });
    const ids = async () => (await storedIds('domains', account)).toReversed();
    for (const page of [100, 1]) {
      const { data, meta } = await read(account.client, `${DOMAINS}?sort=desc&page=${page}`);
      expect([data.map(({ id }) => id), meta.total]).toEqual([(await ids()).slice(25 * (page - 1), 25 * page), MANY + 251]);
    }
    expect(states.length).toBeGreaterThan(0);
  });
});
