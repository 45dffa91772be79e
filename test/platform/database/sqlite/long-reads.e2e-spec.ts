/** @mysql always */
import { operatorContext } from '../../../../src/platform/common/write-context';
import { Dialect } from '../../../../src/platform/database/dialect';
import { SqliteStatements } from '../../../../src/platform/database/sqlite/statements';
import { HandlerCancellations } from '../../../../src/notification-handlers/handler-hooks';
import { NotificationHandler } from '../../../../src/notification-handlers/notification-handler.entity';
import { Agendamento, Atendente, Servico } from '../../../../src/scheduling/collections/collections.entity';
import { type TestAccount, useApplication } from '../../../support/http/application';
import { until } from '../../../support/jest/clock';
import { onMysql } from '../../../support/servers/database';
import { createWebhook, pageOf } from '../../../support/areas/deliveries';
import { insertRows } from '../../../support/areas/insert-rows';
import { DELIVERIES, DOMAINS, HANDLERS, MESSAGES, insertDomains } from '../../../support/areas/records';
import { countWrites } from './write-counter';

const { application } = useApplication({ DELIVERY_CONCURRENCY: '0' });
const MESSAGES_SENT = 65;
const RECIPIENTS = 40;
const LARGE = 2_500;
const DATETIME = '2026-11-01 09:30:00';
let account: TestAccount;
let handlers: number[];

/** An account with lists too large to be read on the event loop. */
beforeAll(async () => {
  account = await application().createAccount();
  await insertDomains(application(), account.id, LARGE);
  handlers = [];
  for (let number = 0; number < RECIPIENTS; number++) handlers.push(await createWebhook(account, 'https://hooks.example.com/'));
  for (let number = 0; number < MESSAGES_SENT; number++) await account.client.create(MESSAGES, { text: 'to all of them' });
  const { dataSource } = application();
  const named = (column: string) => ({ [column]: 'Ana', [`${column}_folded`]: 'ana' });
  const common = { account_id: account.id };
  const { servicos_id } = await dataSource.manager.save(Servico, { ...common, ...named('servico_nome') });
  const attendant = { ...common, ...named('atendente_nome'), ...named('atendente_cargo'), atendente_diponivel: true };
  const { atendentes_id } = await dataSource.manager.save(Atendente, attendant);
  const appointment = { ...common, ...named('nome'), ...named('telefone'), data_hora: DATETIME, servicos_id, atendentes_id };
  await insertRows(
    dataSource,
    Agendamento,
    Array.from({ length: LARGE }, () => appointment),
  );
});

test('the deliveries of a page of messages are counted for 64 messages at a time', async () => {
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  const { data } = await pageOf<{ deliveries: object }>(account, `${MESSAGES}?results_per_page=100`);
  expect(data.map(({ deliveries }) => deliveries)).toEqual(
    Array.from({ length: MESSAGES_SENT }, () => ({ pending: RECIPIENTS, delivered: 0, failed: 0, cancelled: 0 })),
  );
  const counts = reads.mock.calls.filter(([sql]) => sql.includes('GROUP BY message_id'));
  expect(counts.map(([, values]) => values.length)).toEqual([64, 1]);
});

/** Inserts pending deliveries of a webhook that were never attempted. */
async function addPending(handler: number, count: number): Promise<void> {
  const [{ message_id }] = (await pageOf<{ message_id: number }>(account, DELIVERIES)).data;
  const state = { type: 'webhook', lane: `webhook:${handler}`, status: 'pending', attempts: 0, tries: 0, next_attempt: 0 };
  const row = { account_id: account.id, message_id, handler_id: handler, ...state, is_counted: 0, part: 'test', datetime: DATETIME };
  await insertRows(
    application().dataSource,
    'deliveries',
    Array.from({ length: count }, () => row),
  );
}

async function cancelledOf(handler: number): Promise<number> {
  return (await pageOf(account, `${DELIVERIES}?handler_id=${handler}&status=cancelled`)).meta.total;
}

test('disabling a handler cancels its deliveries in short transactions, and enabling it cancels any left', async () => {
  const [handler] = handlers;
  await addPending(handler, 1_200);
  const cancellations = countWrites(application(), "UPDATE deliveries SET status = 'cancelled'");
  await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(200);
  await until(
    () => cancelledOf(handler),
    (count) => count === MESSAGES_SENT + 1_200,
  ); // the request waits at most two seconds for it
  expect(cancellations()).toBe(Math.ceil((MESSAGES_SENT + 1_200) / 500)); // one in each transaction
  await addPending(handler, 1); // left by a process that was killed meanwhile
  await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '1' }).expect(200);
  await until(
    () => cancelledOf(handler),
    (count) => count === MESSAGES_SENT + 1_201,
  );
});

test('a handler’s deliveries are not searched when an enabled handler or another account’s is updated', async () => {
  const [, handler] = handlers;
  const stranger = await application().createAccount();
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  await account.client.post(`${HANDLERS}/${handler}`, { is_enabled: '1' }).expect(200);
  await stranger.client.post(`${HANDLERS}/${handler}`, { is_enabled: '0' }).expect(404);
  expect(reads.mock.calls.filter(([, values]) => values.includes(`webhook:${handler}`))).toEqual([]);
});

test('another account’s updates of a handler do not stand in for its cancellation', async () => {
  const [, , handler] = handlers;
  const stranger = await application().createAccount();
  await addPending(handler, 10);
  await application().dataSource.manager.update(NotificationHandler, handler, { is_enabled: false });
  const cancellations = application().app.get(HandlerCancellations);
  await Promise.all([stranger, stranger, account].map(({ id }) => cancellations.cancel(operatorContext(id), handler)));
  expect(await cancelledOf(handler)).toBe(MESSAGES_SENT + 10);
});

if (!onMysql) {
  test.each([
    `${DELIVERIES}?changed_since=2020-01-01`,
    `${DELIVERIES}?status=failed`,
    `${DELIVERIES}?orderby=datetime&sort=desc`,
    `${DOMAINS}?host=nowhere`,
    `${MESSAGES}?text=nowhere`, // these are few, but each may be long
    `${MESSAGES}?text=them&created_from=2020-01-01`,
    `${DOMAINS}?is_enabled=0`,
    `${DOMAINS}?orderby=host&page=90`,
    '/scheduling?api=agendamentos&nome=ana',
    '/scheduling?api=agendamentos&nome=ana&orderby=nome&page=2',
    '/scheduling?api=agendamentos&servico-nome=nowhere',
    '/scheduling?api=agendamentos',
  ])('GET %s of a large account reads no long list on the event loop', async (path) => {
    const reads = jest.spyOn(SqliteStatements.prototype, 'read');
    await account.client.get(path).expect(200);
    const inline = reads.mock.calls.map(([sql]) => sql);
    const isBounded = (sql: string) =>
      / id (>|<=) \?|^SELECT COALESCE\(MAX\(id\)|LIMIT 1 OFFSET \d+| IN \(/.test(sql) && !/INSTR|is_enabled =/.test(sql);
    const isLong = (sql: string) => /FROM (deliveries|domains|agendamentos|messages)\b/.test(sql) && !isBounded(sql);
    expect(inline.filter(isLong)).toEqual([]);
  });

  test('the deliveries of a message are found by an index', async () => {
    const { dataSource } = application();
    const reads = jest.spyOn(application().app.get(Dialect), 'read');
    const [{ message_id }] = (await pageOf<{ message_id: number }>(account, DELIVERIES)).data;
    reads.mockClear();
    await pageOf(account, `${DELIVERIES}?message_id=${message_id}`);
    const statements = reads.mock.calls.filter(([sql]) => sql.includes('message_id = ?'));
    expect(statements).toHaveLength(2);
    for (const [sql, values] of statements) {
      const plan = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, [...values]);
      expect(plan.map(({ detail }) => detail).join('\n')).toMatch(/SEARCH deliveries USING INDEX \w+ \(message_id=\?\)/);
    }
  });
}
