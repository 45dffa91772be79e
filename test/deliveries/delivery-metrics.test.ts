// Runs on SQLite; in the whole run, on MySQL too.
import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { Metrics, serveMetrics } from '../../src/platform/observability/metrics';
import { type TestApplication, withApplication } from '../support/application';
import { holdClock } from '../support/clock';
import { createDatabase, type TestDatabase } from '../support/database';
import { createWebhook, deliveryWhen, finished, sendMessage } from '../support/deliveries';
import { freePort } from '../support/free-port.cjs';
import { sendRaw } from '../support/raw-request';
import { answer, receiver } from '../support/receiver';
import { HANDLERS } from '../support/records';

let database: TestDatabase;
let metricsPort: number;

beforeEach(async () => {
  database = await createDatabase();
  metricsPort = await freePort();
});
afterEach(async () => {
  await database.drop();
});

type Scrape = () => Promise<Record<string, number>>;

/** An application with metrics, and a function that reads those of deliveries. */
async function withMetrics(
  env: Record<string, string>,
  work: (application: TestApplication, scrape: Scrape) => Promise<void>,
): Promise<void> {
  await withApplication({ ...database.env, METRICS_PORT: String(metricsPort), ...env }, async (application) => {
    const { registry } = application.app.get(Metrics);
    const server = await serveMetrics(metricsPort, '127.0.0.1', () => registry.metrics());
    try {
      await work(application, scrape);
    } finally {
      server.close().closeAllConnections();
      await once(server, 'close');
    }
  });
}

async function scrape(): Promise<Record<string, number>> {
  const { status, text } = await sendRaw(metricsPort, { method: 'GET', path: '/metrics' });
  expect(status).toBe(200);
  const samples = text.matchAll(/^(frontdesk_(?:deliver|operator)\S*(?:\{.*\})?) (\S+)$/gm);
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]));
}

test('attempts are counted by type and outcome, those of tests, too', async () => {
  await withMetrics({}, async (application) => {
    const account = await application.createAccount();
    const handler = await createWebhook(account, receiver.url());
    const [delivered] = await sendMessage(account, [handler]);
    await finished(account, delivered);
    await account.client.post(`${HANDLERS}/${handler}/test`).expect(200);
    receiver.answer = answer(503);
    const [pending] = await sendMessage(account, [handler]);
    await deliveryWhen(account, pending, ({ log }) => log.length === 1);
    const mail = await account.client.create(HANDLERS, { name: 'Mail', type: 'email', email: 'a@example.com' });
    await finished(account, (await sendMessage(account, [mail]))[0]);
    expect(await scrape()).toMatchObject({
      'frontdesk_deliveries_total{type="webhook",outcome="delivered"}': 2,
      'frontdesk_deliveries_total{type="webhook",outcome="server_error"}': 1,
      'frontdesk_deliveries_total{type="email",outcome="not_configured"}': 1,
      frontdesk_deliveries_pending: 1,
      'frontdesk_delivery_attempt_seconds_count{type="webhook"}': 3,
      'frontdesk_delivery_attempt_seconds_count{type="email"}': 1,
    });
  });
});

test('deliveries that failed for good are counted by type and last outcome', async () => {
  await withMetrics({ DELIVERY_WAITS: '0' }, async (application, read) => {
    const account = await application.createAccount();
    const handler = await createWebhook(account, receiver.url());
    await finished(account, (await sendMessage(account, [handler]))[0]);
    receiver.answer = answer(503);
    await finished(account, (await sendMessage(account, [handler]))[0]);
    receiver.answer = answer(410);
    await finished(account, (await sendMessage(account, [handler]))[0]);
    await account.client.post(`${HANDLERS}/${handler}/test`).expect(200);
    const figures = Object.entries(await read()).filter(([name]) => name.startsWith('frontdesk_deliveries_failed_total'));
    expect(Object.fromEntries(figures)).toEqual({
      'frontdesk_deliveries_failed_total{type="webhook",outcome="server_error"}': 1,
      'frontdesk_deliveries_failed_total{type="webhook",outcome="rejected"}': 1,
    });
  });
});

test('failures that only the operator can mend are counted by variable and code', async () => {
  const smtp = { SMTP_URL: `smtp://127.0.0.1:${await freePort()}`, MAIL_FROM: 'desk@example.com' };
  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'secret', TWILIO_FROM: '+15005550006', TWILIO_API_URL: receiver.url('') };
  await withMetrics({ ...smtp, ...twilio }, async (application) => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const { client } = await application.createAccount();
    const handlers = [
      await client.create(HANDLERS, { name: 'Mail', type: 'email', email: 'a@example.com' }),
      await client.create(HANDLERS, { name: 'Phone', type: 'twilio', twilio: '+14155550100' }),
    ];
    receiver.answer = answer(401);
    for (const id of [...handlers, handlers[0]]) await client.post(`${HANDLERS}/${id}/test`).expect(200);
    const figures = await scrape();
    expect(figures).toMatchObject({
      'frontdesk_operator_errors_total{variable="SMTP_URL",code="ECONNREFUSED"}': 2,
      'frontdesk_operator_errors_total{variable="TWILIO_AUTH_TOKEN",code="401"}': 1,
      'frontdesk_deliveries_total{type="email",outcome="operator_error"}': 2,
      'frontdesk_deliveries_total{type="twilio",outcome="operator_error"}': 1,
    });
    expect(Object.keys(figures).filter((name) => name.includes('rejected'))).toEqual([]);
  });
});

test('without deliveries, none is pending or late', async () => {
  await withMetrics({}, async (_, read) => {
    expect(await read()).toMatchObject({ frontdesk_deliveries_pending: 0, frontdesk_deliveries_late_seconds: 0 });
  });
});

test('the first scrape says how many are pending, and how late the oldest due one is', async () => {
  await withMetrics({ DELIVERY_CONCURRENCY: '0' }, async (application, read) => {
    const account = await application.createAccount();
    const clock = holdClock(application);
    const handlers = [await createWebhook(account, receiver.url()), await createWebhook(account, receiver.url())];
    await sendMessage(account, handlers);
    clock.move(90_500);
    await sendMessage(account, handlers);
    expect(await read()).toMatchObject({ frontdesk_deliveries_pending: 4, frontdesk_deliveries_late_seconds: 90.5 });
  });
});
