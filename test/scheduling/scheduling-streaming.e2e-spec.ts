/** @mysql whole */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { Admission } from '../../src/platform/quotas/admission.guard';
import { Dialect } from '../../src/platform/database/dialect';
import type { IntegerQueue } from '../../src/platform/common/integer-queue';
import { type RecordList, SchedulingService } from '../../src/scheduling/scheduling.service';
import { StreamLimiter } from '../../src/scheduling/stream-limiter';
import { type TestAccount, type TestApplication, useApplication } from '../support/http/application';
import { holdTimeouts } from '../support/jest/clock';
import { connectTo, onMysql } from '../support/servers/database';
import { expectErrors } from '../support/http/errors';
import { COLLECTIONS, ordersOf, SCHEDULING } from '../support/areas/scheduling-interface';
import { expectedList, type Filter, type WireRecord } from '../support/areas/scheduling-model';
import { insertScheduling, wireRecords } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';
import { DOMAINS } from '../support/areas/records';
import { inTurn } from '../support/jest/size';

/** A single connection: a list that held it would block every other request. */
const { application, database } = useApplication({ DATABASE_POOL_SIZE: '1' });
/** More than the first batch of every collection; the last batch is partial. */
const SEED = schedulingSeed({ agendamentos: 10_703, others: 2_101 }, 1);
const RECORDS = wireRecords(SEED);
/** Long enough that the socket buffers can't hold the whole list. */
const LARGE = 12_000;
const LONG_NAME = '💈'.repeat(128);
let account: TestAccount;
let large: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await insertScheduling(application(), account.id, SEED);
  large = await application().createAccount();
  await insertScheduling(application(), large.id, {
    servicos: [{ servicos_id: 9_000, servico_nome: LONG_NAME }],
    atendentes: [{ atendentes_id: 9_000, atendente_nome: LONG_NAME, atendente_cargo: 'x', atendente_diponivel: true }],
    agendamentos: Array.from({ length: LARGE }, (_, index) => ({
      agendamento_id: 100_000 + index,
      nome: LONG_NAME,
      telefone: '0800',
      data_hora: '2026-11-21 14:30:00',
      servicos_id: 9_000,
      atendentes_id: 9_000,
    })),
  });
});

describe.each(COLLECTIONS)('a complete list of $api', (collection) => {
  const everyFlag = collection.flags.map((parameter): Filter => ({ parameter, value: '', type: 'none' }));

  test.each(ordersOf(collection).map((orderby, index) => [orderby, index] as const))(
    'several batches sorted by %s arrive in order',
    async (orderby, index) => {
      for (const sort of inTurn(['asc', 'desc'] as const, index)) {
        const query = new URLSearchParams({
          api: collection.api,
          orderby,
          sort,
          ...Object.fromEntries(collection.flags.map((name) => [name, ''])),
        });
        const response = await account.client.get(`${SCHEDULING}?${query.toString()}`).expect(200);
        const wanted = expectedList(collection, RECORDS[collection.api], everyFlag, orderby, sort);
        if (response.text !== JSON.stringify({ data: wanted })) expect((response.body as { data: WireRecord[] }).data).toEqual(wanted);
      }
    },
  );
});

test('a filtered list of several batches is complete', async () => {
  const filter: Filter = { parameter: 'nome', value: 'a', type: 'text', plain: 'a' };
  const response = await account.client.get(`${SCHEDULING}?api=agendamentos&nome=A&orderby=servico-nome&sort=desc`).expect(200);
  const wanted = expectedList(COLLECTIONS[0], RECORDS.agendamentos, [filter], 'servico-nome', 'desc');
  expect(wanted.length).toBeGreaterThan(2_000);
  expect(response.text).toBe(JSON.stringify({ data: wanted }));
});

describe('the stream of a complete list', () => {
  test('a slow reader holds no database connection and eventually gets the complete list', async () => {
    const response = await startReading();
    const sent = await settledStatements();
    await account.client.get(DOMAINS).expect(200);
    await account.client.get(`${SCHEDULING}?api=servicos&servicos-id=1`).expect(200);
    expect(sent).toBe(0); // after the statement for the first bytes

    const { data } = JSON.parse(await text(response)) as { data: { agendamento_id: number }[] };
    expect(data.map(({ agendamento_id }) => agendamento_id)).toEqual(Array.from({ length: LARGE }, (_, index) => 100_000 + index));
  });

  test('a disconnect ends the list: no further statement is run and no connection is held', async () => {
    const response = await startReading();
    await settledStatements();
    const statements = countStatements();
    response.destroy();
    await pause(300);
    expect(statements()).toBeLessThanOrEqual(1);
    await idleConnections(application());
    await account.client.get(`${SCHEDULING}?api=servicos&servicos-id=1`).expect(200);
  });

  test('the memory of sent records and ids is freed', async () => {
    const scheduling = application().app.get(SchedulingService);
    const dialect = application().app.get(Dialect);
    const findAll = scheduling.findAll.bind(scheduling);
    const readIntegers = dialect.readIntegers.bind(dialect);
    const [lists, idLists]: [RecordList[], IntegerQueue[]] = [[], []];
    jest.spyOn(scheduling, 'findAll').mockImplementation(async (...asked) => {
      const list = await findAll(...asked);
      lists.push(list);
      return list;
    });
    jest.spyOn(dialect, 'readIntegers').mockImplementation(async (...statement) => {
      const ids = await readIntegers(...statement);
      idLists.push(ids);
      return ids;
    });
    const response = await startReading();
    expect(lists[0].first.length).toBeLessThan(10_000);
    const received = text(response);
    while (idLists.length === 0 || idLists[0].length === LARGE) await pause(5);
    expect(idLists[0].length).toBeLessThanOrEqual(LARGE - 10_000);
    expect(lists[0].first).toEqual([]);
    await received;
    expect(idLists[0].length).toBe(0);
  });

  test('the connection is cut when the table becomes unreadable', async () => {
    const response = await startReading();
    await settledStatements();
    await application().dataSource.query('ALTER TABLE agendamentos RENAME TO agendamentos_away');
    const received: Buffer[] = [];
    try {
      response.on('data', (bytes: Buffer) => received.push(bytes));
      response.resume();
      await expect(once(response, 'end')).rejects.toThrow('aborted');
    } finally {
      await application().dataSource.query('ALTER TABLE agendamentos_away RENAME TO agendamentos');
    }
    expect(() => JSON.parse(Buffer.concat(received).toString()) as unknown).toThrow(SyntaxError);
    await idleConnections(application());
    await large.client.get(`${SCHEDULING}?api=agendamentos&agendamento-id=100000`).expect(200);
  });
});

describe('the limit on open complete lists', () => {
  const streams = () => application().app.get(StreamLimiter);
  /** Resolves once their ids are read: until then they share one connection. */
  const open = async (accounts: TestAccount[]) => {
    holdTimeouts();
    const readers = await Promise.all(accounts.map((reader) => startReading(reader)));
    while (application().app.get(Admission).inFlight > 0) await new Promise(setImmediate);
    jest.useRealTimers();
    return readers;
  };
  let other: TestAccount;

  beforeAll(async () => {
    other = await application()
      .createKey(large.id)
      .then((key) => ({ ...key, id: large.id }));
  });

  /** Lower limits, since opening forty lists takes too long. */
  const bound = (max: number, maxPerAccount: number) => Object.assign(streams(), { max, limits: { maxPerAccount } });

  afterEach(() => bound(40, 32));

  const refused = async ({ client }: TestAccount) => {
    const response = await client.get(`${SCHEDULING}?api=servicos`);
    expectErrors(response, { code: 'unavailable' });
    expect(response.headers['retry-after']).toBe('1');
  };
  const closed = async (readers: IncomingMessage[], left: number) => {
    for (const reader of readers) reader.destroy();
    while (streams().inUse > left) await pause(5);
  };

  test('the keys of an account share its limit, and the next list is a 503 until one is closed', async () => {
    bound(4, 2);
    const readers = await open([large, other]);
    expect(streams().inUse).toBe(2);
    await refused(large);
    await large.client.get(`${SCHEDULING}?api=servicos&page=1`).expect(200);
    await account.client.get(`${SCHEDULING}?api=servicos`).expect(200);
    await closed([readers[0]], 1);
    await large.client.get(`${SCHEDULING}?api=servicos`).expect(200);
    await closed(readers, 0);
  });

  test('all accounts together have a limit, too', async () => {
    bound(2, 2);
    const readers = await open([large, large]);
    await refused(account);
    await closed(readers, 0);
    await account.client.get(`${SCHEDULING}?api=servicos`).expect(200);
  });
});

if (onMysql) {
  test('the connection is cut when the database connection is lost during a list', async () => {
    const dialect = application().app.get(Dialect);
    const readIntegers = dialect.readIntegers.bind(dialect);
    let lock = () => {};
    const locked = new Promise<void>((resolve) => (lock = resolve));
    jest.spyOn(dialect, 'readIntegers').mockImplementation(async (...statement) => {
      await locked;
      return readIntegers(...statement);
    });
    const response = await startReading();
    const other = await connectTo(database().env.DATABASE_URL);
    await other.query('LOCK TABLES agendamentos WRITE');
    lock();
    const ended = expect(once(response.resume(), 'end')).rejects.toThrow('aborted');
    await other.query(`KILL ${await waitingStatement(other)}`);
    await ended;
    await other.query('UNLOCK TABLES');
    await other.end();
    jest.restoreAllMocks();
    await large.client.get(`${SCHEDULING}?api=agendamentos&agendamento-id=100000`).expect(200);
  });
}

/** The connection that waits for the table lock. */
async function waitingStatement(other: Connection): Promise<number> {
  for (;;) {
    const sql =
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'SELECT agendamentos.agendamento_id FROM%'";
    const [rows] = await other.query<RowDataPacket[]>(sql);
    if (rows.length > 0) return Number(rows[0].id);
    await pause(20);
  }
}

test('a list that fails before its first record gets a 500', async () => {
  await application().dataSource.query('ALTER TABLE horarios RENAME TO horarios_away');
  const response = await account.client.get(`${SCHEDULING}?api=horarios`);
  await application().dataSource.query('ALTER TABLE horarios_away RENAME TO horarios');
  expect(response.status).toBe(500);
  expect(response.text).not.toMatch(/horarios|SELECT/);
});

test('writes during a long list neither interrupt it nor wait for it', async () => {
  const response = await startReading();
  holdTimeouts(); // on a slow machine, twenty requests for one connection would time out
  const hosts = Array.from({ length: 20 }, (_, index) => `during-${index}.example.com`);
  const [list] = await Promise.all([text(response), ...hosts.map((host) => account.client.create(DOMAINS, { host }))]);
  jest.useRealTimers();
  expect((JSON.parse(list) as { data: unknown[] }).data).toHaveLength(LARGE);
});

test('a long list keeps its admission slot until its ids are read', async () => {
  const admission = application().app.get(Admission);
  const dialect = application().app.get(Dialect);
  const readIntegers = dialect.readIntegers.bind(dialect);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  jest.spyOn(dialect, 'readIntegers').mockImplementation(async (...query) => {
    await released;
    return readIntegers(...query);
  });
  const response = await startReading();
  expect(admission.inFlight).toBe(1);
  release();
  while (admission.inFlight > 0) await pause(10);
  await text(response);
});

test('no admission slot or stream remains in use after all responses', () => {
  const { inFlight, waiting } = application().app.get(Admission);
  expect([inFlight, waiting, application().app.get(StreamLimiter).inUse]).toEqual([0, 0, 0]);
});

/** Requests the long list and pauses after the first bytes. */
async function startReading({ key } = large): Promise<IncomingMessage> {
  const { port } = application();
  const path = `${SCHEDULING}?api=agendamentos&orderby=nome`;
  const sent = get({ host: '127.0.0.1', port, path, headers: { Authorization: `Bearer ${key}` }, agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.pause();
  return response;
}

function countStatements(): () => number {
  const queries = jest.spyOn(application().app.get(Dialect), 'read');
  return () => queries.mock.calls.filter(([sql]) => sql.startsWith('SELECT agendamentos.agendamento_id')).length;
}

/** Returns the number of statements run until the sockets are full and the list waits for its reader. */
async function settledStatements(): Promise<number> {
  const statements = countStatements();
  let before = -1;
  while (before !== statements()) {
    before = statements();
    await pause(200);
  }
  jest.restoreAllMocks();
  return before;
}

/** Waits until no connection of MySQL's pools is in use: background work takes one now and then. The embedded database has no pool. */
async function idleConnections({ app }: TestApplication): Promise<void> {
  const { poolUsage } = app.get(Dialect);
  for (let usage = poolUsage?.(); usage && usage.open !== usage.idle; usage = poolUsage?.()) await pause(10);
}
