/** @mysql whole */
import type { Verdict } from '../../src/deliveries/channels/channel';
import { Delivery } from '../../src/deliveries/delivery.entity';
import { DeliveryQueue } from '../../src/deliveries/queue/delivery-queue';
import { Slots } from '../../src/deliveries/queue/slots';
import { Config } from '../../src/platform/config/config';
import { type TestAccount, useApplication, withApplication } from '../support/http/application';
import { createDatabase } from '../support/servers/database';
import { holdClock, until } from '../support/jest/clock';
import { Clock } from '../../src/platform/common/clock';
import { HOUR_MS, timestamp } from '../../src/platform/common/time';
import {
  auditOf,
  createWebhook,
  type DeliveryBody,
  deliveryWhen,
  eventsOf,
  finished,
  pageOf,
  readDelivery,
  readMessage,
  sendMessage,
  nextDeliveryCycle,
} from '../support/areas/deliveries';
import { untilServed } from '../support/http/client';
import { expectErrors } from '../support/http/errors';
import { answer, receiver } from '../support/servers/receiver';
import { DELIVERIES, HANDLERS, MESSAGES } from '../support/areas/records';

const { application, database } = useApplication();
let account: TestAccount;
let handlers: number[];

beforeEach(async () => {
  receiver.move(); // late deliveries of other tests go elsewhere
  account = await application().createAccount();
  handlers = [];
  for (const path of ['/first', '/second', '/third']) handlers.push(await createWebhook(account, receiver.url(path)));
});

async function messageOf(delivery: number): Promise<number> {
  return (await readDelivery(account, delivery)).message_id;
}

const received = () => receiver.requests.map(({ path }) => path);
const statuses = (ids: number[]) => Promise.all(ids.map(async (id) => (await readDelivery(account, id)).status));
const acknowledge = (id: number) => account.client.post(`${MESSAGES}/${id}/acknowledgement`);
const threeSteps = (fields: Record<string, string> = {}) =>
  sendMessage(account, [handlers[0]], { steps: `300:${handlers[1]};900:${handlers[0]},${handlers[2]}`, ...fields });

test('a step released in the cycle that delivers an earlier step is cancelled', async () => {
  const own = await createDatabase(); // the other application would claim its deliveries
  await withApplication({ ...own.env, DELIVERY_CONCURRENCY: '0' }, async (quiet) => {
    const clock = holdClock(quiet);
    const owner = await quiet.createAccount();
    const [first, second] = [await createWebhook(owner, receiver.url('/first')), await createWebhook(owner, receiver.url('/second'))];
    const ids = await sendMessage(owner, [first], { steps: `10:${second}`, until: 'delivered' });
    const queue = quiet.app.get(DeliveryQueue);
    const claimed = async (id: number) => (await queue.cycle([], new Slots(4))).filter((claim) => claim.id === id);
    const [earlier] = await claimed(ids[0]);
    clock.move(11_000);
    const [later] = await claimed(ids[1]);
    const verdict: Verdict = { outcome: 'delivered', isFinal: true, status: 200, detail: 'Delivered.' };
    const result = { verdict, durationMs: 11_000, time: quiet.app.get(Clock).now() };
    await queue.cycle([{ claim: earlier, ending: result }, { claim: later, ending: 'released' }], new Slots(0)); // prettier-ignore
    expect(await Promise.all(ids.map(async (id) => (await readDelivery(owner, id)).status))).toEqual(['delivered', 'cancelled']);
    const types = (await pageOf<{ type: string }>(owner, '/api/events?types=delivery.delivered,delivery.cancelled')).data;
    expect(types.map(({ type }) => type)).toEqual(['delivery.delivered', 'delivery.cancelled']);
  }).finally(() => own.drop());
});

describe('steps', () => {
  test('steps are created with the message, each due at its time', async () => {
    const clock = holdClock(application());
    const ids = await threeSteps();
    const found = await Promise.all(ids.map((id) => readDelivery(account, id)));
    expect(found.map(({ handler_id }) => handler_id)).toEqual([handlers[0], handlers[1], handlers[0], handlers[2]]);
    expect(found.map((each) => (each as DeliveryBody & { step: number }).step)).toEqual([0, 1, 2, 2]);
    expect(Object.keys(found[0])).toEqual(expect.arrayContaining(['id', 'message_id', 'handler_id', 'step', 'type']));
    const begin = Date.parse(`${found[0].datetime}Z`);
    const dues = found.slice(1).map(({ next_attempt }) => Date.parse(`${next_attempt}Z`) - begin);
    expect(dues).toEqual([300_000, 900_000, 900_000]);
    expect(await readMessage(account, found[0].message_id)).toMatchObject({ until: 'acknowledged', acknowledged: null });
    for (const [wait, paths] of [
      [290_000, ['/first']],
      [11_000, ['/first', '/second']],
      [598_000, ['/first', '/second']],
      [3_000, ['/first', '/second', '/third', '/first']],
    ] as const) {
      clock.move(wait);
      await nextDeliveryCycle(application());
      expect((await receiver.received(paths.length)).map(({ path }) => path).sort()).toEqual([...paths].sort());
    }
    expect(await statuses(await Promise.all(ids.map(async (id) => (await finished(account, id)).id)))).toEqual(Array(4).fill('delivered'));
  });

  test('steps count from send_at, and deliveries can be filtered by step', async () => {
    holdClock(application());
    const ids = await sendMessage(account, [handlers[0]], {
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
      steps: `10:${handlers[1]}`,
      until: 'delivered',
    });
    const id = await messageOf(ids[0]);
    const [later, ...others] = (await pageOf<DeliveryBody>(account, `${DELIVERIES}?message_id=${id}&step=1`)).data;
    expect([later.id, others]).toEqual([ids[1], []]);
    const [first] = (await pageOf<DeliveryBody>(account, `${DELIVERIES}?message_id=${id}&step=0`)).data;
    expect(Date.parse(later.next_attempt!) - Date.parse(first.next_attempt!)).toBe(10_000);
    const { links } = await pageOf(account, `${DELIVERIES}?handler_id=${handlers[1]}&step=1&status=pending`);
    expect(links.self).toContain(`&handler_id=${handlers[1]}&step=1&status=pending`);
  });

  test.each([
    ['', 'empty'],
    ['9:1', 'too soon'],
    ['604801:1', 'too late'],
    ['300:', 'without handlers'],
    ['300:1;300:2', 'not ascending'],
    ['300:1;200:2', 'descending'],
    ['300:1,1', 'a handler twice'],
    ['300:1;', 'an empty step'],
    ['10:1;11:1;12:1;13:1;14:1;15:1', 'six steps'],
    ['5m:1', 'not in seconds'],
    ['300:0', 'an unknown id'],
    ['+300:1', 'signed'],
  ])('rejects the steps %j: %s', async (steps) => {
    const given = steps.replaceAll(/(?<=[:,])(1|2)(?=[,;]|$)/g, (digit) => String(handlers[Number(digit) - 1]));
    const refused = await account.client.post(MESSAGES, { text: 'x', handler_ids: String(handlers[0]), steps: given });
    expectErrors(refused, { code: 'invalid_parameter', source: 'form.steps', detail: /^steps must be 1 to 5 steps/ });
  });

  test('steps may name only enabled handlers of the account', async () => {
    const other = await application().createAccount();
    const theirs = await createWebhook(other, receiver.url());
    await account.client.post(`${HANDLERS}/${handlers[2]}`, { is_enabled: '0' }).expect(200);
    for (const id of [theirs, handlers[2]]) {
      const refused = await account.client.post(MESSAGES, { text: 'x', handler_ids: String(handlers[0]), steps: `300:${id}` });
      expectErrors(refused, { code: 'invalid_parameter', source: 'form.steps', detail: /^steps must be/ });
    }
  });

  test.each([
    [{ until: 'delivered' }, 'until=delivered needs steps.'],
    [{ until: '' }, 'until must be one of delivered, acknowledged.'],
    [{ until: 'read' }, 'until must be one of delivered, acknowledged.'],
  ])('rejects %j', async (fields, detail) => {
    const refused = await account.client.post(MESSAGES, { text: 'x', ...fields });
    expectErrors(refused, { code: 'invalid_parameter', source: 'form.until', detail });
  });

  test('a step due at a disabled handler is cancelled', async () => {
    const clock = holdClock(application());
    const [, second, , third] = await threeSteps();
    for (const [index, times] of [
      [1, ['0', '1']],
      [2, ['0']],
    ] as const)
      for (const is_enabled of times) await account.client.post(`${HANDLERS}/${handlers[index]}`, { is_enabled }).expect(200);
    expect(await statuses([second, third])).toEqual(['pending', 'pending']);
    clock.move(901_000);
    expect((await finished(account, second)).status).toBe('delivered');
    expect((await finished(account, third)).status).toBe('cancelled');
  });
});

describe('retry of a failed delivery', () => {
  const fail = () => (receiver.answer = (response, { path }) => answer(path === '/first' ? 410 : 200)(response, { path } as never));

  async function expectObsolete(id: number): Promise<void> {
    expectErrors(await account.client.post(`${DELIVERIES}/${id}/retry`), { code: 'delivery_obsolete' });
    const { body } = await account.client.post(`${DELIVERIES}/retry`, { status: 'failed', handler_id: String(handlers[0]) }).expect(200);
    expect(body).toEqual({ data: { retried: 0, skipped: 1 } });
    expect(await readDelivery(account, id)).toMatchObject({ status: 'failed', attempts: 1 });
  }

  test('a retry is rejected once the message is acknowledged', async () => {
    fail();
    const [first] = await sendMessage(account, [handlers[0]], { until: 'acknowledged' });
    await finished(account, first);
    await acknowledge(await messageOf(first)).expect(200);
    await expectObsolete(first);
  });

  test('with until=delivered, a retry is rejected once another delivery has succeeded', async () => {
    fail();
    const [first, second] = await sendMessage(account, [handlers[0]], { steps: `300:${handlers[1]}`, until: 'delivered' });
    await finished(account, second);
    await expectObsolete(first);
  });

  test('a retry is accepted while the message is pending', async () => {
    holdClock(application());
    fail();
    const [first] = await sendMessage(account, [handlers[0]], { steps: `300:${handlers[1]}` });
    await finished(account, first);
    await account.client.post(`${DELIVERIES}/${first}/retry`).expect(200);
  });
});

describe('until=delivered', () => {
  test('the first successful delivery cancels the others in its transaction', async () => {
    holdClock(application());
    const ids = await threeSteps({ until: 'delivered' });
    await finished(account, ids[0]);
    expect(await statuses(ids)).toEqual(['delivered', 'cancelled', 'cancelled', 'cancelled']);
    expect(received()).toEqual(['/first']);
    expect(receiver.requests[0].body).not.toContain('acknowledge');
    const cancelled = await eventsOf(account, 'delivery.cancelled');
    expect(cancelled).toHaveLength(3);
    expect(cancelled[0]).toMatchObject({ actor: { type: 'service' } });
  });

  test('the next step is due as soon as all earlier ones have failed', async () => {
    holdClock(application()); // no time passes
    receiver.answer = (response, { path }) => (path === '/third' ? answer(200) : answer(410))(response, { path } as never);
    const ids = await sendMessage(account, [handlers[0], handlers[1]], {
      steps: `300:${handlers[1]};900:${handlers[2]};1800:${handlers[0]}`,
      until: 'delivered',
    });
    await deliveryWhen(account, ids[3], ({ status }) => status === 'delivered');
    await finished(account, ids[4]);
    expect(await statuses(ids)).toEqual(['failed', 'failed', 'failed', 'delivered', 'cancelled']);
    expect(received().sort()).toEqual(['/first', '/second', '/second', '/third']);
  });

  test('a step is due while an earlier one is being retried, and cancels only later ones', async () => {
    const clock = holdClock(application());
    receiver.answer = (response, { path }) => (path === '/second' ? answer(200) : answer(503))(response, { path } as never);
    const ids = await sendMessage(account, [handlers[0]], {
      steps: `300:${handlers[1]};900:${handlers[2]}`,
      until: 'delivered',
    });
    await deliveryWhen(account, ids[0], ({ log }) => log.length === 1);
    expect((await readDelivery(account, ids[1])).attempts).toBe(0);
    clock.move(301_000);
    await finished(account, ids[1]);
    expect((await statuses(ids)).slice(1)).toEqual(['delivered', 'cancelled']);
    expect((await readDelivery(account, ids[0])).status).toBe('pending'); // an earlier step: it is retried
  });

  test('disabling the handler of the first step makes the next one due', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const ids = await sendMessage(account, [handlers[0]], { steps: `300:${handlers[1]}`, until: 'delivered' });
    await deliveryWhen(account, ids[0], ({ log }) => log.length === 1);
    receiver.answer = answer(200);
    await account.client.post(`${HANDLERS}/${handlers[0]}`, { is_enabled: '0' }).expect(200);
    clock.move(1_500);
    await finished(account, ids[1]);
    expect(await statuses(ids)).toEqual(['cancelled', 'delivered']);
  });
});

describe('POST /api/messages/:message_id/acknowledgement', () => {
  test('an acknowledgement cancels pending deliveries, and later ones do not replace it', async () => {
    const clock = holdClock(application());
    const ids = await threeSteps();
    await finished(account, ids[0]);
    const id = await messageOf(ids[0]);
    const { body: first } = await acknowledge(id).expect(200);
    expect(first).toEqual({ data: { acknowledged: expect.any(String), cancelled: 3, at_work: 0 } });
    clock.move(5_000);
    const { body: second } = await acknowledge(id).expect(200);
    expect(second).toEqual({ data: { ...(first as { data: object }).data, cancelled: 0 } });
    expect(await readMessage(account, id)).toMatchObject({
      acknowledged: { datetime: (first as { data: { acknowledged: string } }).data.acknowledged, delivery_id: null },
      deliveries: { pending: 0, delivered: 1, failed: 0, cancelled: 3 },
    });
    clock.move(3_600_000);
    await nextDeliveryCycle(application());
    expect(received()).toEqual(['/first']);
    const events = await eventsOf(account, 'message.acknowledged');
    expect(events).toMatchObject([{ record: { type: 'message', id }, actor: { type: 'key' }, data: {} }]);
    expect((await auditOf(application(), account, 'message')).map(({ action }) => action)).toEqual(['create', 'acknowledge']);
  });

  test('one of fifty concurrent acknowledgements is recorded', async () => {
    const [delivery] = await threeSteps();
    const id = await messageOf(delivery);
    const answers = await Promise.all(Array.from({ length: 50 }, () => untilServed(() => acknowledge(id))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const counts = answers.map(({ body }) => (body as { data: { cancelled: number } }).data.cancelled);
    expect(counts.filter((count) => count > 0)).toHaveLength(1);
  });

  test('an acknowledged attempt in progress finishes and is not retried', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => answer(503)(response, {} as never));
    const [first] = await sendMessage(account, [handlers[0]], { until: 'acknowledged' });
    await receiver.received(1);
    const id = await messageOf(first);
    expect((await acknowledge(id).expect(200)).body).toMatchObject({ data: { cancelled: 0, at_work: 1 } });
    held.forEach((release) => release());
    expect(await finished(account, first)).toMatchObject({ status: 'cancelled', attempts: 1, outcome: 'server_error' });
  });

  test('until=acknowledged returns 409 in production without PUBLIC_URL', async () => {
    const production = { ...database().env, NODE_ENV: 'production', PUBLIC_URL: undefined };
    await withApplication(production, async (served) => {
      const { client } = await served.createKey(account.id);
      const send = (fields: Record<string, string>) => client.post(MESSAGES, { text: 'x', handler_ids: String(handlers[0]), ...fields });
      for (const fields of [{ until: 'acknowledged' }, { steps: `300:${handlers[1]}` }] as Record<string, string>[])
        expectErrors(await send(fields), { code: 'public_url_missing' });
      await send({ steps: `300:${handlers[1]}`, until: 'delivered' }).expect(201);
    });
    for (const local of ['127.0.0.1', 'localhost', '::1'])
      expect(new Config({ NODE_ENV: 'production', HOST: local }).lacksPublicUrl).toBe(false);
  });

  test('returns 409 if the message awaits none, and 404 for another account', async () => {
    const others: Record<string, string>[] = [{}, { steps: `300:${handlers[1]}`, until: 'delivered' }];
    for (const fields of others) {
      const [delivery] = await sendMessage(account, [handlers[0]], fields);
      const refused = await acknowledge(await messageOf(delivery));
      expectErrors(refused, { code: 'acknowledgement_not_requested', detail: /^This message does not wait for an acknowledgement/ });
    }
    const other = await application().createAccount();
    const [delivery] = await threeSteps();
    await other.client.post(`${MESSAGES}/${await messageOf(delivery)}/acknowledgement`).expect(404);
  });

  test('an acknowledgement ends the window of the message’s dedup_key', async () => {
    const send = (status: number) =>
      account.client
        .post(MESSAGES, { text: 'x', handler_ids: String(handlers[0]), until: 'acknowledged', dedup_key: 'disk' })
        .expect(status);
    const { body } = await send(201);
    const { id } = (body as { data: { id: number } }).data;
    expect((await send(200)).body).toEqual({ data: { id } });
    await acknowledge(id).expect(200);
    expect((await send(201)).body).not.toEqual({ data: { id } });
    await send(200);
  });

  test('rejects fields and Idempotency-Key, and honors If-Match', async () => {
    const [delivery] = await threeSteps();
    const id = await messageOf(delivery);
    await account.client.post(`${MESSAGES}/${id}/acknowledgement`, { by: 'me' }).expect(400);
    await account.client.post(`${MESSAGES}/${id}/acknowledgement`).set('Idempotency-Key', 'k').expect(400);
    await account.client.post(`${MESSAGES}/${id}/acknowledgement`).set('If-Match', '"old"').expect(412);
    expect((await readMessage(account, id)).acknowledged).toBeNull();
  });
});

describe('acknowledgement link', () => {
  interface Webhook {
    data: Record<string, unknown> & { acknowledge_url: string };
  }

  async function linkOf(title = 'Backup failed', fields = {}): Promise<{ id: number; delivery: number; path: string }> {
    const [delivery] = await threeSteps({ title, ...fields });
    await finished(account, delivery);
    const [{ body }] = receiver.requests;
    const { acknowledge_url: url } = (JSON.parse(body) as Webhook).data;
    return { id: await messageOf(delivery), delivery, path: new URL(url).pathname };
  }

  const browser = () => application().client();

  test('the link is the sixth field of a webhook, the same in each attempt', async () => {
    const clock = holdClock(application());
    receiver.answer = answer(503);
    const [delivery] = await threeSteps();
    await deliveryWhen(account, delivery, ({ log }) => log.length === 1);
    const [{ body: first }] = receiver.requests;
    clock.move(6_000);
    const [, { body: second }] = await receiver.received(2);
    expect(Object.keys((JSON.parse(first) as Webhook).data)).toEqual([
      'message_id',
      'delivery_id',
      'title',
      'text',
      'url',
      'acknowledge_url',
    ]);
    expect(second).toBe(first);
  });

  test('the page changes nothing, and its button acknowledges', async () => {
    const title = '<b onclick="x">Deploy & \'go\'</b>';
    const { id, delivery, path } = await linkOf(title);
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, text, headers } = await browser().send(method, path);
      expect(status).toBe(200);
      if (method === 'GET') {
        expect(text).toContain('&#60;b onclick=&#34;x&#34;&#62;Deploy &#38; &#39;go&#39;&#60;/b&#62;');
        expect(text).not.toMatch(/<b |<script/);
        expect(text).toContain('<form method="post"><button>');
        expect(text).not.toContain('Pager');
      }
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        'content-security-policy': expect.stringMatching(/^default-src 'none'; form-action 'self'; style-src 'sha256-/),
      });
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
    expect((await readMessage(account, id)).acknowledged).toBeNull();
    const pressed = await browser().send('POST', path).type('form').send('');
    expect(pressed.status).toBe(200);
    expect(pressed.text).toMatch(/Acknowledged on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(await readMessage(account, id)).toMatchObject({ acknowledged: { delivery_id: delivery } });
    const again = await browser().send('GET', path);
    expect(again.text).toMatch(/Acknowledged on/);
    expect(again.text).not.toContain('<form');
    const events = await eventsOf(account, 'message.acknowledged');
    expect(events).toMatchObject([{ actor: { type: 'service' }, data: {} }]);
  });

  test('the page shows the state of the message, in English or Portuguese', async () => {
    const clock = holdClock(application());
    const { id, path } = await linkOf('', { expires_at: timestamp(application().app.get(Clock).now() + HOUR_MS) });
    const show = async () =>
      (await browser().send('GET', path).set('Accept-Language', 'de').expect(200)).text.replace(
        /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g,
        '<time>',
      );
    const BUTTON = '<form method="post"><button>I have it</button></form>';
    expect(await show()).toContain(
      `<p>Sent on <time> UTC. It goes to others, or comes again, until somebody acknowledges it.</p>${BUTTON}`,
    );
    await account.client.post(`${MESSAGES}/${id}/cancellation`).expect(200);
    expect(await show()).toContain('<p>Sent on <time> UTC. Cancelled on <time> UTC. Nobody else will be told.</p></main>');
    clock.move(HOUR_MS);
    receiver.reset();
    const other = await linkOf('', { expires_at: timestamp(application().app.get(Clock).now() + HOUR_MS) });
    clock.move(HOUR_MS);
    const { text } = await browser().send('GET', other.path).set('Accept-Language', 'pt-BR,pt;q=0.9,en;q=0.5');
    expect(text).toMatch(
      /<html lang="pt">.*Enviada em .{19} UTC. Expirada em .{19} UTC. Ninguém mais será avisado.<\/p><form.*Estou cuidando disso/s,
    );
    receiver.reset();
    await sendMessage(account, [handlers[0]], { until: 'acknowledged' });
    const [{ body }] = await receiver.received(1);
    const url = new URL((JSON.parse(body) as Webhook).data.acknowledge_url);
    await until(async () => (await browser().send('GET', url.pathname)).text.includes(` UTC. Nobody else will be told.</p>${BUTTON}`));
  });

  test('the page shows a cancellation while the last attempt is in progress', async () => {
    const { id, path } = await linkOf();
    receiver.reset();
    let end = () => {};
    receiver.answer = (response) => {
      end = () => response.writeHead(200).end();
    };
    holdClock(application()).move(300_000); // to the second step
    await receiver.received(1);
    await account.client.post(`${MESSAGES}/${id}/cancellation`).expect(200);
    expect((await browser().send('GET', path)).text).toMatch(/Cancelled on .{19} UTC. Nobody else will be told.<\/p><\/main>/);
    end();
  });

  test('an invalid link returns a 404 page without a query', async () => {
    const { path } = await linkOf();
    const token = path.split('/').pop()!;
    const wrong = [
      'x',
      'A'.repeat(41),
      `${token}A`,
      token.slice(1),
      token.slice(0, 40),
      `${token.slice(0, 40)}B`,
      `${Buffer.from(Buffer.from(token, 'base64url').map((byte, index) => (index === 7 ? byte ^ 1 : byte)))
        .toString('base64url')
        .slice(0, 40)}A`,
    ];
    const find = jest.spyOn(application().dataSource.getRepository(Delivery), 'createQueryBuilder');
    for (const each of wrong) {
      for (const method of ['GET', 'POST'] as const) {
        const { status, text } = await browser().send(method, `/acknowledge/${each}`);
        expect([status, text]).toEqual([404, expect.stringContaining('This message is gone')]);
      }
    }
    expect(find).not.toHaveBeenCalled();
    await browser().send('GET', path).expect(200);
    expect(find).toHaveBeenCalledTimes(1); // the spy does see queries
  });

  test('a link from before a restore does not match another delivery with its id', async () => {
    const { delivery, path } = await linkOf();
    await browser().send('GET', path).expect(200);
    await application().dataSource.getRepository(Delivery).update(delivery, { part: '00000000000f' });
    await browser().send('GET', path).expect(404);
    await browser().send('POST', path).expect(404);
  });

  test('the page is limited to 60 views a minute, but its button is not', async () => {
    const { id, path } = await linkOf();
    for (let count = 0; count < 60; count++)
      await browser()
        .send(count % 2 ? 'GET' : 'HEAD', path)
        .expect(200);
    const refused = await browser().send('GET', path).set('Accept-Language', 'pt');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(refused.text).toMatch(/^<!doctype html><html lang="pt">.*Espere um minuto/s);
    expect(refused.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' });
    expect(await application().dataSource.query('SELECT * FROM quota_counts WHERE account_id = ?', [account.id])).toEqual([]);
    await browser().send('POST', path).expect(200);
    expect((await readMessage(account, id)).acknowledged).not.toBeNull();
  });

  test('a request error returns an HTML page', async () => {
    const { path } = await linkOf();
    const refused = await browser().send('POST', path).type('form').send('a'.repeat(70_000));
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('Open the link from the message again')]);
  });

  test.each(['.', ',', ')', '>', '_', '-.', '%3E'])('a link with %j after it works, and ends with a letter or digit', async (behind) => {
    const { path } = await linkOf();
    expect(path).toMatch(/\/[\w-]{40}[A-Za-z0-9]$/);
    await browser()
      .send('GET', path + behind)
      .expect(200);
  });
});
