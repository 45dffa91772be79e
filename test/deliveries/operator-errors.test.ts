// Runs on SQLite; in the whole run, on MySQL too.
import { Logger } from '@nestjs/common';
import { Outbound } from '../../src/platform/outbound/outbound';
import { OutboundError, type OutboundFailure } from '../../src/platform/outbound/outbound-request';
import { type TestAccount, useApplication, withApplication } from '../support/application';
import { ByteServer } from '../support/byte-server';
import { holdClock } from '../support/clock';
import { deliveryWhen, finished, sendMessage } from '../support/deliveries';
import { freePort } from '../support/free-port.cjs';
import { MailServer, reply } from '../support/mail-server';
import { answer, cut, receiver } from '../support/receiver';
import { HANDLERS } from '../support/records';

const MAIL_FROM = 'desk@example.com';
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

/** Runs an application whose mail server sends `replies` in turn. */
async function withMailServer(
  variables: Record<string, string>,
  replies: string[],
  work: (account: TestAccount, server: ByteServer) => Promise<void>,
): Promise<void> {
  const left = [...replies];
  const server = await ByteServer.start((socket, text) => {
    if (text === '' || text.endsWith('\r\n')) socket.write(`${left.shift()}\r\n`);
  });
  const SMTP_URL = `smtp://127.0.0.1:${server.port}`;
  try {
    await withApplication({ ...database().env, ...variables, SMTP_URL, MAIL_FROM, DELIVERY_CONCURRENCY: '0' }, async (other) =>
      work(await other.createAccount(), server),
    );
  } finally {
    await server.close();
  }
}

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

const mailHandler = ({ client }: TestAccount) => client.create(HANDLERS, { name: 'Mail', type: 'email', email: 'night@example.com' });
const phoneHandler = (type: string) => account.client.create(HANDLERS, { name: type, type, [type]: '+14155550100' });
const attemptOf = async ({ client }: TestAccount, id: number) =>
  ((await client.post(`${HANDLERS}/${id}/test`).expect(200)).body as { data: Record<string, unknown> }).data;
/** The error lines, without their messages. */
const causes = () => (errors.mock.calls as [{ message: string }][]).map(([{ message: _, ...fields }]) => fields);

test.each([530, 534, 535, 538])('a login that the mail server refuses with %i is the operator’s', async (status) => {
  login = reply(status, '5.7.8 Error: authentication failed for desk@mail.example.com');
  expect(await attemptOf(account, await mailHandler(account))).toMatchObject({
    ...{ outcome: 'operator_error', status, detail: `The mail server answered ${status} 5.7.8.` },
  });
});

test('a refused sender is the operator’s to mend; a refused recipient is the account’s', async () => {
  const handler = await mailHandler(account);
  sender = reply(530, '5.7.57 Client not authenticated');
  expect(await attemptOf(account, handler)).toMatchObject({ outcome: 'operator_error', status: 530 });
  sender = reply(550, '5.1.8 Sender rejected');
  expect(await attemptOf(account, handler)).toMatchObject({ outcome: 'rejected', status: 550 });
  sender = undefined;
  recipient = reply(550, '5.1.1 No such user');
  expect(await attemptOf(account, handler)).toMatchObject({ outcome: 'rejected', status: 550 });
});

test.each<[number, string]>([
  [530, '5.7.0 Must issue a STARTTLS command first'],
  [554, '5.7.1 <night@example.com>: Relay access denied'],
  [550, '5.7.1 Unable to relay'],
])('so is a recipient refused because of the service: %i %s', async (status, text) => {
  recipient = reply(status, text);
  const code = /^[\d.]+/.exec(text)![0];
  expect(await attemptOf(account, await mailHandler(account))).toMatchObject({
    ...{ outcome: 'operator_error', status, detail: `The mail server answered ${status} ${code}.` },
  });
  for (const cause of causes()) expect(cause).toEqual({ variable: 'SMTP_URL', code: String(status) }); // none if there was one just now
});

describe.each([
  ['greeting', ['554 5.7.1 No service for you'], '554'],
  ['EHLO', ['220 hello', '421 4.7.0 Try again later, closing connection. (EHLO)'], '421'],
  ['HELO', ['220 hello', '504 5.5.2 need a full name', '504 5.5.2 need a full name'], '504'],
])('a server that refuses the %s', (_, replies, code) => {
  test('is the operator’s', () =>
    withMailServer({}, replies, async (owner) => {
      expect(await attemptOf(owner, await mailHandler(owner))).toMatchObject({ outcome: 'operator_error', status: Number(code) });
      expect(causes()).toEqual([{ variable: 'SMTP_URL', code }]);
    }));
});

test.each<[string, boolean, string]>([
  ['timeout', false, 'timeout'],
  ['tls_error', false, 'tls_error'],
])('a %s of the mail server keeps its name, and is logged as the operator’s', async (failure, isWritten, code) => {
  jest.spyOn(application().app.get(Outbound), 'mail').mockRejectedValue(new OutboundError(failure as OutboundFailure, isWritten));
  expect(await attemptOf(account, await mailHandler(account))).toMatchObject({ outcome: failure, status: null });
  expect(causes()).toEqual([{ variable: 'SMTP_URL', code }]);
});

test('EHLO has the name in SMTP_EHLO_NAME', () =>
  withMailServer({ SMTP_EHLO_NAME: 'relay.example.net' }, ['220 hello', '421 busy'], async (owner, server) => {
    await attemptOf(owner, await mailHandler(owner));
    expect(server.received[0]).toBe('EHLO relay.example.net\r\n');
  }));

test('a mail server that is down is the operator’s to mend', async () => {
  const SMTP_URL = `smtp://127.0.0.1:${await freePort()}`;
  await withApplication({ ...database().env, SMTP_URL, MAIL_FROM, DELIVERY_CONCURRENCY: '0' }, async (other) => {
    const owner = await other.createAccount();
    expect(await attemptOf(owner, await mailHandler(owner))).toMatchObject({
      ...{ outcome: 'operator_error', status: null, detail: "The mail server of this service can't be reached." },
    });
  });
  expect(causes()).toEqual([{ variable: 'SMTP_URL', code: 'ECONNREFUSED' }]);
});

test('a delivery that only the operator can mend is retried through the whole series', async () => {
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

describe.each([
  [401, 'TWILIO_AUTH_TOKEN', '{"code":20003,"message":"Authenticate +15005550006"}', 'error 20003'],
  [403, 'TWILIO_ACCOUNT_SID', '{"code":20008}', 'error 20008'],
])('Twilio’s %i is the operator’s', (status, variable, body, reason) => {
  test.each(['twilio', 'twilio_call', 'whatsapp'])('for %s, and tried again although it costs money', async (type) => {
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
    for (const cause of causes()) expect(cause).toMatchObject({ variable, code: String(status) });
  });
});

test('an answer of Twilio’s that breaks off is unknown, and final', async () => {
  receiver.answer = (response) => response.writeHead(401, { 'Content-Length': '99' }).write('{"code":2', () => cut(response));
  const [id] = await sendMessage(account, [await phoneHandler('twilio')]);
  expect(await finished(account, id)).toMatchObject({ status: 'failed', attempts: 1, log: [{ outcome: 'unknown' }] });
});

test('the operator gets a line a minute for each variable and code, without a secret', async () => {
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
