/** @mysql whole */
import { Logger } from '@nestjs/common';
import { DeliveryWorker } from '../../../src/deliveries/sending/delivery-worker';
import { Metrics } from '../../../src/platform/observability/metrics';
import { Outbound } from '../../../src/platform/outbound/outbound';
import { OutboundError } from '../../../src/platform/outbound/outbound-request';
import { type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { ByteServer } from '../../support/servers/byte-server';
import { holdClock, until } from '../../support/jest/clock';
import { createWebhook, deliveryWhen, finished, readDelivery, sendMessage, nextDeliveryCycle } from '../../support/areas/deliveries';
import { freePort } from '../../support/servers/free-port.cjs';
import { MailServer, reply } from '../../support/servers/mail-server';
import { answer, cut, receiver } from '../../support/servers/receiver';
import { HANDLERS } from '../../support/areas/records';

const LEASE = 30_000;
const HOUR = 3_600_000;
const MAIL_FROM = 'desk@example.com';
const mailHandler = ({ client }: TestAccount) => client.create(HANDLERS, { name: 'Mail', type: 'email', email: 'night@example.com' });

describe('email delivery', () => {
  /** Greets and answers all commands, except that tests answer the content. */
  let server: ByteServer;
  let greets = true;

  const { application } = useApplication(async () => {
    server = await ByteServer.start((socket, text) => {
      if (text === '') return greets ? void socket.write('220 hello\r\n') : undefined;
      if (/^(EHLO|MAIL|RCPT) [^\r]*\r\n$/m.test(text.slice(text.lastIndexOf('\n', text.length - 3) + 1))) socket.write('250 OK\r\n');
      else if (text.endsWith('\r\nDATA\r\n')) socket.write('354 go on\r\n');
    });
    const SMTP_URL = `smtp://127.0.0.1:${server.port}`;
    return { SMTP_URL, MAIL_FROM, DELIVERY_CONCURRENCY: '1', DELIVERY_WAITS: '0,0,0' };
  });

  let account: TestAccount;
  let handler: number;

  beforeEach(async () => {
    account = await application().createAccount();
    handler = await mailHandler(account);
    greets = true;
    server.sockets.length = 0;
    server.received.length = 0;
  });

  afterEach(() => server.sockets.forEach((socket) => socket.destroy()));
  afterAll(() => server.close());

  const contents = () => server.received.filter((text) => text.includes('\r\n.\r\n')).length;
  const contentOf = (count: number) => server.until(() => contents() === count);
  const accept = () => server.sockets.at(-1)!.write('250 OK\r\n');

  /** Makes the delivery look as if its process had died. */
  async function lapse(id: number): Promise<void> {
    const { dataSource } = application();
    await dataSource.query('UPDATE deliveries SET started = started - ? WHERE id = ?', [LEASE + 1_000, id]);
    await dataSource.query('UPDATE delivery_lanes SET available = 0 WHERE lane = (SELECT lane FROM deliveries WHERE id = ?)', [id]);
  }

  test('a slow reply to the content holds no slot, and the email is sent once', async () => {
    const [id] = await sendMessage(account, [handler]);
    await contentOf(1);
    const webhook = await createWebhook(account, receiver.url());
    expect(await finished(account, (await sendMessage(account, [webhook]))[0])).toMatchObject({ status: 'delivered' }); // with the only slot
    expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', log: [] });
    accept();
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(contents()).toBe(1);
  });

  test.each([
    ['a greeting', () => server.until(() => server.sockets.length === 1), () => (greets = false)],
    ['the reply to the content', () => contentOf(1), () => undefined],
  ])('an email that waits for %s is not claimed by another process', async (_, waiting, prepare) => {
    prepare();
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [handler]);
    await waiting();
    const { dataSource } = application();
    const leased = async () =>
      (await dataSource.query<{ started: number }[]>('SELECT started FROM deliveries WHERE id = ?', [id]))[0].started;
    const started = Number(await leased());
    for (let times = 1; times <= 3; times++) {
      clock.move(12_000);
      await until(leased, (time) => Number(time) >= started + times * 12_000);
    }
    await nextDeliveryCycle(application());
    expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', attempts: 1, log: [] });
    server.sockets[0].write(greets ? '250 OK\r\n' : '220 hello\r\n');
    if (!greets) await contentOf(1).then(accept);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(server.sockets).toHaveLength(1);
  });

  test('an email whose process died after the content is repeated once, an hour later', async () => {
    const clock = holdClock(application());
    const [id] = await sendMessage(account, [handler]);
    for (const attempt of [1, 2]) {
      await contentOf(attempt);
      await lapse(id);
      await nextDeliveryCycle(application());
      await deliveryWhen(account, id, ({ log }) => log.length === attempt);
      clock.move(HOUR - 60_000);
      await nextDeliveryCycle(application());
      expect((await readDelivery(account, id)).attempts).toBe(attempt);
      clock.move(60_000);
    }
    const { log, ...delivery } = await finished(account, id);
    expect(delivery).toMatchObject({ status: 'failed', outcome: 'unknown', attempts: 2 });
    expect(log.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    expect(contents()).toBe(2);
  });

  test('an email whose process died before the content is sent at once', async () => {
    const [id] = await sendMessage(account, [handler], { send_at: new Date(Date.now() + HOUR).toISOString() });
    const abandon = "UPDATE deliveries SET lease = 'a dead process', started = ?, attempts = 1 WHERE id = ?";
    await application().dataSource.query(abandon, [Date.now(), id]);
    await lapse(id);
    application().app.get(DeliveryWorker).loop.wake();
    await contentOf(1);
    accept();
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 2, log: [{ outcome: 'unknown' }, {}] });
  });

  describe('email whose content got no reply', () => {
    const MUTE = new OutboundError('timeout', true);
    const outcomes = async (id: number) => (await readDelivery(account, id)).log.map(({ outcome }) => outcome);

    test('an email whose content got no reply is retried once, an hour later', async () => {
      const clock = holdClock(application());
      jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(MUTE);
      const [id] = await sendMessage(account, [handler]);
      await deliveryWhen(account, id, ({ log }) => log.length === 1);
      clock.move(HOUR - 60_000);
      await nextDeliveryCycle(application());
      expect(await readDelivery(account, id)).toMatchObject({ status: 'pending', attempts: 1 });
      clock.move(60_000);
      expect(await finished(account, id)).toMatchObject({ status: 'failed', outcome: 'unknown', attempts: 2 });
      expect(await outcomes(id)).toEqual(['unknown', 'unknown']);
    });

    test('an email whose content got no reply delays no other and may be retried', async () => {
      const clock = holdClock(application());
      const mail = jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(MUTE);
      const [id] = await sendMessage(account, [handler]);
      await deliveryWhen(account, id, ({ log }) => log.length === 1);
      clock.move(HOUR);
      await finished(account, id);
      await account.client.post(`/api/deliveries/${id}/retry`).expect(200);
      expect(await deliveryWhen(account, id, ({ log }) => log.length === 3)).toMatchObject({ status: 'pending' });
      mail.mockResolvedValue({ status: 250, text: 'OK', step: 'content' });
      const [other] = await sendMessage(account, [handler]);
      expect((await finished(account, other)).status).toBe('delivered');
      clock.move(HOUR);
      expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 4 });
    });

    test('a timeout before the content follows the retry schedule', async () => {
      jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(new OutboundError('timeout', false));
      const [id] = await sendMessage(account, [handler]);
      expect(await finished(account, id)).toMatchObject({ status: 'failed', attempts: 4 });
      expect(new Set(await outcomes(id))).toEqual(new Set(['timeout']));
    });
  });
});

describe('operator error', () => {
  const TWILIO_ENV = {
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: 'twilio-secret',
    TWILIO_FROM: '+15005550006',
    TWILIO_WHATSAPP_FROM: '+1500',
  };

  let mailServer: MailServer;
  /** The mail server's replies; each accepts unless a test says otherwise. */
  let login: Error | null;
  let sender: Error | undefined;
  let recipient: Error | undefined;

  let env: Record<string, string>;

  const { application, database } = useApplication(async () => {
    mailServer = await MailServer.start({
      hideSTARTTLS: true,
      onAuth: (_auth, _session, done) => done(login, { user: 'user' }),
      onMailFrom: (_address, _session, done) => done(sender),
      onRcptTo: (_address, _session, done) => done(recipient),
    });
    const SMTP_URL = `smtp://user:password@127.0.0.1:${mailServer.port}`;
    env = { ...TWILIO_ENV, SMTP_URL, MAIL_FROM, TWILIO_API_URL: receiver.url(''), DELIVERY_WAITS: '5,5' };
    return env;
  });
  let account: TestAccount;
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    account = await application().createAccount();
    [login, sender, recipient] = [null, undefined, undefined];
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  });
  afterAll(() => mailServer.close());

  const phoneHandler = (type: string, owner = account) => owner.client.create(HANDLERS, { name: type, type, [type]: '+14155550100' });
  const attemptOf = async ({ client }: TestAccount, id: number) =>
    ((await client.post(`${HANDLERS}/${id}/test`).expect(200)).body as { data: Record<string, unknown> }).data;
  /** The error lines, without their messages. */
  const causes = () => (errors.mock.calls as [{ message: string }][]).map(([{ message: _, ...fields }]) => fields);

  test('a rejected login or relay is an operator_error, unlike other rejections', async () => {
    const handler = await mailHandler(account);
    const attempt = () => attemptOf(account, handler);
    login = reply(535, '5.7.8 Error: authentication failed for desk@mail.example.com');
    const detail = 'The mail server answered 535 5.7.8.';
    expect(await attempt()).toMatchObject({ outcome: 'operator_error', status: 535, detail });
    login = null;
    sender = reply(530, '5.7.57 Client not authenticated');
    expect(await attempt()).toMatchObject({ outcome: 'operator_error', status: 530 });
    sender = reply(550, '5.1.8 Sender rejected');
    expect(await attempt()).toMatchObject({ outcome: 'rejected', status: 550 });
    sender = undefined;
    recipient = reply(554, '5.7.1 <night@example.com>: Relay access denied');
    expect(await attempt()).toMatchObject({ outcome: 'operator_error', status: 554, detail: 'The mail server answered 554 5.7.1.' });
    recipient = reply(550, '5.1.1 No such user');
    expect(await attempt()).toMatchObject({ outcome: 'rejected', status: 550 });
    expect(causes()).toEqual(['535', '530', '554'].map((code) => ({ variable: 'SMTP_URL', code })));
  });

  test('a rejected EHLO, which sends SMTP_EHLO_NAME, is an operator_error', async () => {
    const replies = ['220 hello', '421 4.7.0 Try again later, closing connection. (EHLO)'];
    const server = await ByteServer.start((socket, text) => {
      if (text === '' || text.endsWith('\r\n')) socket.write(`${replies.shift()}\r\n`);
    });
    const SMTP_URL = `smtp://127.0.0.1:${server.port}`;
    const SMTP_EHLO_NAME = 'relay.example.net';
    await withApplication({ ...database().env, SMTP_URL, MAIL_FROM, SMTP_EHLO_NAME, DELIVERY_CONCURRENCY: '0' }, async (other) => {
      const owner = await other.createAccount();
      expect(await attemptOf(owner, await mailHandler(owner))).toMatchObject({ outcome: 'operator_error', status: 421 });
    }).finally(() => server.close());
    expect(server.received[0]).toBe('EHLO relay.example.net\r\n');
    expect(causes()).toEqual([{ variable: 'SMTP_URL', code: '421' }]);
  });

  test.each(['timeout', 'tls_error'] as const)(
    'a %s of the mail server keeps its outcome and is logged as an operator error',
    async (failure) => {
      jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(new OutboundError(failure, false));
      expect(await attemptOf(account, await mailHandler(account))).toMatchObject({ outcome: failure, status: null });
      expect(causes()).toEqual([{ variable: 'SMTP_URL', code: failure }]);
    },
  );

  test('operator errors are logged and counted by variable and code', async () => {
    const SMTP_URL = `smtp://127.0.0.1:${await freePort()}`;
    const METRICS_PORT = String(await freePort());
    receiver.answer = answer(401);
    await withApplication({ ...database().env, ...env, SMTP_URL, METRICS_PORT, DELIVERY_CONCURRENCY: '0' }, async (other) => {
      const owner = await other.createAccount();
      const mail = await mailHandler(owner);
      expect(await attemptOf(owner, mail)).toMatchObject({
        outcome: 'operator_error',
        status: null,
        detail: "The mail server of this service can't be reached.",
      });
      for (const id of [mail, await phoneHandler('twilio', owner)]) await attemptOf(owner, id);
      const metrics = await other.app.get(Metrics).registry.metrics();
      const counted = /^frontdesk_(operator_errors|deliveries)_total/;
      expect(metrics.split('\n').filter((line) => counted.test(line))).toEqual([
        'frontdesk_deliveries_total{type="email",outcome="operator_error"} 2',
        'frontdesk_deliveries_total{type="twilio",outcome="operator_error"} 1',
        'frontdesk_operator_errors_total{variable="SMTP_URL",code="ECONNREFUSED"} 2',
        'frontdesk_operator_errors_total{variable="TWILIO_AUTH_TOKEN",code="401"} 1',
      ]);
    });
    expect(causes()).toEqual([
      { variable: 'SMTP_URL', code: 'ECONNREFUSED' },
      { variable: 'TWILIO_AUTH_TOKEN', code: '401' },
    ]);
  });

  test('a delivery with an operator_error is retried to the end of the schedule', async () => {
    const clock = holdClock(application());
    login = reply(535);
    const handler = await mailHandler(account);
    const [lost, saved] = [...(await sendMessage(account, [handler])), ...(await sendMessage(account, [handler]))];
    for (const times of [1, 2]) {
      for (const id of [lost, saved]) await deliveryWhen(account, id, ({ log }) => log.length === times);
      if (times === 2) break;
      clock.move(6_000);
    }
    clock.move(6_000);
    const { log } = await finished(account, lost);
    expect(log.map(({ outcome, status }) => [outcome, status])).toEqual(Array(3).fill(['operator_error', 535]));
    expect(await finished(account, saved)).toMatchObject({ status: 'failed', attempts: 3 });
    login = null;
    await account.client.post(`/api/deliveries/${saved}/retry`).expect(200);
    expect(await finished(account, saved)).toMatchObject({ status: 'delivered', attempts: 4 });
  });

  test.each([
    [401, 'TWILIO_AUTH_TOKEN', '{"code":20003,"message":"Authenticate +15005550006"}', 'error 20003', 'twilio'],
    [403, 'TWILIO_ACCOUNT_SID', '{"code":20008}', 'error 20008', 'twilio_call'],
  ])('a %i from Twilio is an operator_error and is retried, although paid', async (status, variable, body, reason, type) => {
    const clock = holdClock(application());
    receiver.answer = answer(status, {}, body);
    const [id] = await sendMessage(account, [await phoneHandler(type)]);
    const { log } = await deliveryWhen(account, id, (delivery) => delivery.log.length === 1);
    expect(log).toEqual([
      expect.objectContaining({ outcome: 'operator_error', status, detail: `The receiver answered ${status}: ${reason}.` }),
    ]);
    receiver.answer = answer(201);
    clock.move(6_000);
    expect(await finished(account, id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(causes()).toEqual([{ variable, code: String(status) }]);
  });

  test('a truncated response from Twilio is unknown and final', async () => {
    receiver.answer = (response) => response.writeHead(401, { 'Content-Length': '99' }).write('{"code":2', () => cut(response));
    const [id] = await sendMessage(account, [await phoneHandler('twilio')]);
    expect(await finished(account, id)).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'unknown' }] });
  });

  test('operator errors are logged once a minute per variable and code, without secrets', async () => {
    await withApplication({ ...database().env, ...env, DELIVERY_CONCURRENCY: '0' }, async (other) => {
      const clock = holdClock(other);
      account = await other.createAccount();
      const [mail, phone] = [await mailHandler(account), await phoneHandler('twilio')];
      login = reply(535, '5.7.8 password secret for desk@mail.example.com is wrong');
      receiver.answer = answer(401, {}, '{"code":20003,"message":"twilio-secret"}');
      for (let count = 0; count < 3; count++) await attemptOf(account, mail);
      for (let count = 0; count < 2; count++) await attemptOf(account, phone);
      login = reply(534);
      await attemptOf(account, mail);
      clock.move(60_000);
      login = reply(535);
      await attemptOf(account, mail);
    });
    expect(errors.mock.calls.map(([line]: [object]) => line)).toEqual([
      { message: 'Check SMTP_URL. The mail server answered 535 5.7.8.', variable: 'SMTP_URL', code: '535' },
      { message: 'Check TWILIO_AUTH_TOKEN. The receiver answered 401: error 20003.', variable: 'TWILIO_AUTH_TOKEN', code: '401' },
      { message: 'Check SMTP_URL. The mail server answered 534.', variable: 'SMTP_URL', code: '534' },
      { message: 'Check SMTP_URL. The mail server answered 535.', variable: 'SMTP_URL', code: '535', left_out: 2 },
    ]);
  });
});
