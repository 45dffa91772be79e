import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { SMTPServerOptions } from 'smtp-server';
import type { SmtpAccount } from '../../../src/platform/config/channel-accounts';
import { Clock } from '../../../src/platform/common/clock';
import { Network } from '../../../src/platform/common/network';
import { Config } from '../../../src/platform/config/config';
import { Outbound } from '../../../src/platform/outbound/outbound';
import type { MailStep, OutboundMail } from '../../../src/platform/outbound/outbound-request';
import { makeAuthority, makeCertificate, trustAuthority } from '../../support/servers/certificates';
import { holdTimeouts } from '../../support/jest/clock';
import { MailServer, reply } from '../../support/servers/mail-server';
import { DEADLINE_MS, failLookups, failureOf, sendOptions } from '../../support/areas/outbound';
import { ByteServer } from '../../support/servers/byte-server';

const LOGIN = { user: 'user', password: 'password' };

let folder: string;
const servers: { close(): Promise<void> }[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-outbound-'));
  makeAuthority(folder, 'trusted');
  makeAuthority(folder, 'unknown');
  makeCertificate(folder, 'right', 'trusted', 'localhost');
  makeCertificate(folder, 'foreign', 'unknown', 'localhost');
});

beforeEach(() => trustAuthority(file('trusted.pem')));

afterEach(async () => {
  jest.useRealTimers();
  for (const server of servers.splice(0)) await server.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string) => readFileSync(join(folder, name), 'utf8');
const certificate = (name: string) => ({ cert: file(`${name}.pem`), key: file(`${name}.key`) });
const WITHOUT_TLS: SMTPServerOptions = { hideSTARTTLS: true, allowInsecureAuth: true };

async function mailServer(options: SMTPServerOptions = WITHOUT_TLS): Promise<MailServer> {
  const server = await MailServer.start(options);
  servers.push(server);
  return server;
}

/** A server that sends `replies` in turn: the first as its greeting, the others after each line, or the end of the mail. */
async function scriptedServer(...replies: string[]): Promise<ByteServer> {
  const receiver = await ByteServer.start((socket, text) => {
    const next = replies.shift();
    if (next === 'end') socket.end();
    else if (next !== undefined && (text === '' || text.endsWith('\r\n'))) socket.write(`${next}\r\n`);
  });
  servers.push(receiver);
  return receiver;
}

/** The replies up to the one to DATA. */
const ACCEPTING = ['220 hello', '250 hello', '250 sender', '250 recipient', '354 go on'];

const MAIL: OutboundMail = {
  to: 'someone@example.com',
  subject: 'Subject',
  text: 'Text',
  messageId: '<delivery-7@example.org>',
  wording: { title: '', text: '', url: '' },
  headers: { 'Auto-Submitted': 'auto-generated' },
};

interface Changes {
  account?: Partial<SmtpAccount>;
  mail?: Partial<OutboundMail>;
  options?: Parameters<typeof sendOptions>[0];
}

function send({ port }: { port: number }, { account, mail, options }: Changes = {}) {
  const from = 'Desk <desk@example.org>';
  const smtp = { host: 'localhost', port, isImplicitTls: false, ehloName: 'desk.example.org', from, ...account };
  const config = Object.assign(new Config({}), { channels: { smtp } });
  return new Outbound(config, new Clock(), new Network()).mail({ ...MAIL, ...mail }, sendOptions(options));
}

/** Makes the server appear to be on another machine. */
const pretendRemote = () =>
  jest.spyOn(Socket.prototype as Socket & { _getpeername(): object }, '_getpeername').mockReturnValue({ address: '192.0.2.1' });

describe('the content of a mail', () => {
  test('a mail has the given sender, recipient and headers', async () => {
    const server = await mailServer();
    expect(await send(server, { mail: { subject: 'Größe', text: 'line 1\n.\n..\nü' } })).toMatchObject({ status: 250 });
    const [{ content, envelope }] = server.mails;
    expect(envelope).toMatchObject({
      mailFrom: { address: 'desk@example.org' },
      rcptTo: [{ address: 'someone@example.com' }],
    });
    const [head, body] = content.split('\r\n\r\n');
    expect(head.split('\r\n').filter((line) => !line.startsWith('Date: '))).toEqual([
      'Auto-Submitted: auto-generated',
      'From: Desk <desk@example.org>',
      'To: someone@example.com',
      'Subject: =?UTF-8?Q?Gr=C3=B6=C3=9Fe?=',
      'Message-ID: <delivery-7@example.org>',
      'Content-Transfer-Encoding: quoted-printable',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
    ]);
    expect(body.trimEnd()).toBe('line 1\r\n.\r\n..\r\n=C3=BC');
  });

  test.each<Partial<OutboundMail>>([
    { subject: 'a\r\nBcc: evil@example.net\r\n\r\nbody' },
    { headers: { 'X-A': 'a\r\nBcc: evil@example.net', 'X-B\r\nBcc': 'evil@example.net' } },
    { messageId: '<a@b>\r\nBcc: evil@example.net' },
    { to: 'someone@example.com\r\nBcc: evil@example.net' },
    { to: 'someone@example.com, evil@example.net' },
    { to: 'someone@example.com>\r\nRCPT TO:<evil@example.net' },
    { text: '\r\n.\r\nMAIL FROM:<evil@example.net>\r\n' },
    { text: '\n.\nMAIL FROM:<evil@example.net>\r.\r' },
  ])('no header, recipient or SMTP command can be injected by %j', async (mail) => {
    const server = await mailServer();
    await send(server, { mail });
    expect(server.mails.length).toBeLessThanOrEqual(1);
    for (const { content, envelope } of server.mails) {
      const head = content.slice(0, content.indexOf('\r\n\r\n'));
      expect(head).not.toMatch(/^(bcc|body)/im);
      expect(envelope.rcptTo).toHaveLength(1);
      expect(envelope.rcptTo[0].address).not.toBe('evil@example.net');
    }
  });

  test('a mail without a recipient fails with status 553', async () => {
    const server = await mailServer();
    expect(await send(server, { mail: { to: '' } })).toMatchObject({ status: 553 });
    expect(server.mails).toEqual([]);
  });
});

describe('SMTP replies', () => {
  const data: SMTPServerOptions['onData'] = (stream, _session, done) => stream.on('end', () => done(reply(452))).resume();
  const sender: SMTPServerOptions['onMailFrom'] = (_address, _session, done) => done(reply(451));
  const recipient: SMTPServerOptions['onRcptTo'] = (_address, _session, done) => done(reply(550));
  test.each<[string, SMTPServerOptions, number, MailStep]>([
    ['the connection', { onConnect: (_session, done) => done(reply(554)) }, 554, 'greeting'],
    ['the sender', { onMailFrom: sender }, 451, 'sender'],
    ['the sender, without pipelining', { onMailFrom: sender, hidePIPELINING: true }, 451, 'sender'],
    ['the sender and the recipient', { onMailFrom: sender, onRcptTo: recipient }, 451, 'sender'],
    ['the recipient', { onRcptTo: recipient }, 550, 'recipient'],
    ['the recipient, without pipelining', { onRcptTo: recipient, hidePIPELINING: true }, 550, 'recipient'],
    ['the content', { onData: data }, 452, 'content'],
    ['a session without a login', { authOptional: false }, 530, 'sender'],
  ])('a rejection of %s resolves with its status and step', async (_, options, status, step) => {
    const server = await mailServer({ ...WITHOUT_TLS, ...options });
    expect(await send(server)).toMatchObject({ status, step });
    expect(server.mails).toEqual([]);
  });

  test.each([
    [['421 4.7.0 Try again later, closing connection. (EHLO)'], 421],
    [['504 5.5.2 helo needs a full name', '504 5.5.2 helo needs a full name'], 504],
  ])('a rejection of EHLO and HELO resolves with the step greeting: %j', async (replies, status) => {
    expect(await send(await scriptedServer('220 hello', ...replies))).toMatchObject({ status, step: 'greeting' });
  });

  test('421 after MAIL FROM is reported for the step content', async () => {
    const server = await scriptedServer('220 hello', '250-hello\r\n250 PIPELINING', '250 sender\r\n421 4.3.2 going down', 'end');
    expect(await send(server)).toMatchObject({ status: 421, step: 'content' });
  });

  test.each([
    ['550 5.1.1 no such user', '5.1.1'],
    ['550-5.7.26 not\r\n550 5.7.26 authenticated', '5.7.26'],
    ['451 4.7.500', '4.7.500'],
    ['550 5.1.1.example.com', undefined],
    ['550 10.0.0.1 is listed', undefined],
    ['550 1.2.3 is a version', undefined],
  ])('the reply %j has the enhanced status code %s', async (line, code) => {
    const server = await scriptedServer('220 hello', '250 hello', '250 sender', line);
    expect(await send(server)).toMatchObject({ status: Number(line.slice(0, 3)), code, step: 'recipient' });
  });

  test('421 to the connection or to the sender resolves', async () => {
    expect(await send(await scriptedServer('421 busy', 'end'))).toMatchObject({ status: 421 });
    expect(await send(await scriptedServer('220 hello', '250 hello', '421 busy', 'end'))).toMatchObject({ status: 421 });
  });

  test.each(['HTTP/1.1 400 Bad Request', 'SSH-2.0-OpenSSH', '299 odd'])(
    'the greeting %j is not SMTP and fails with not_http',
    async (greeting) => {
      expect(await failureOf(send(await scriptedServer(greeting)))).toEqual(['not_http', false]);
    },
  );
});

type TlsMode = NonNullable<SmtpAccount['tls']>;

describe('SMTP over TLS', () => {
  test('STARTTLS is used when the server offers it', async () => {
    const server = await mailServer(certificate('right'));
    pretendRemote();
    expect(await send(server, { account: LOGIN })).toMatchObject({ status: 250 });
    expect(server.mails[0]).toMatchObject({ secure: true, user: 'user' });
  });

  test('implicit TLS encrypts the connection from its start', async () => {
    const server = await mailServer({ ...certificate('right'), secure: true });
    pretendRemote();
    expect(await send(server, { account: { ...LOGIN, isImplicitTls: true } })).toMatchObject({ status: 250 });
    expect(server.mails[0]).toMatchObject({ secure: true, user: 'user' });
  });

  test.each([
    ['foreign', 'localhost', false],
    ['foreign', 'localhost', true],
    ['right', '127.0.0.1', false],
    ['right', '127.0.0.1', true],
  ])('the %s certificate is rejected for the host %s, with implicit TLS: %s', async (name, host, isImplicitTls) => {
    const server = await mailServer({ ...certificate(name), secure: isImplicitTls });
    pretendRemote();
    expect(await failureOf(send(server, { account: { host, isImplicitTls } }))).toEqual(['tls_error', false]);
    expect(server.mails).toEqual([]);
  });

  test('no password is sent to another machine without TLS', async () => {
    const onAuth = jest.fn<void, Parameters<NonNullable<SMTPServerOptions['onAuth']>>>();
    const server = await mailServer({ ...WITHOUT_TLS, disabledCommands: ['STARTTLS'], onAuth });
    pretendRemote();
    expect(await failureOf(send(server, { account: LOGIN }))).toEqual(['tls_error', false]);
    expect(onAuth).not.toHaveBeenCalled();
    expect(await send(server)).toMatchObject({ status: 250 });
  });

  test('a password is sent without TLS on loopback if TLS is not offered', async () => {
    const server = await mailServer();
    expect(await send(server, { account: LOGIN })).toMatchObject({ status: 250 });
    expect(server.mails[0]).toMatchObject({ secure: false, user: 'user' });
    expect(await send(server, { account: { ...LOGIN, password: 'wrong' } })).toMatchObject({ status: 535, step: 'login' });
  });

  test.each(['454 not now', 'end'])('STARTTLS that is offered and then fails (%s) is an error', async (answer) => {
    const server = await scriptedServer('220 hello', '250-hello\r\n250 STARTTLS', answer);
    pretendRemote();
    expect((await failureOf(send(server)))[1]).toBe(false);
  });

  test('any certificate is accepted on loopback without a password', async () => {
    const server = await mailServer(certificate('foreign'));
    expect(await send(server)).toMatchObject({ status: 250 });
    expect(server.mails[0].secure).toBe(true);
    expect(await failureOf(send(server, { account: LOGIN }))).toEqual(['tls_error', false]);
    expect(await failureOf(send(server, { account: { tls: 'on' } }))).toEqual(['tls_error', false]);
  });

  test('STARTTLS that is offered and then fails is skipped on loopback without a password', async () => {
    const replies = ['220 hello', '250-hello\r\n250 STARTTLS', '454 4.7.0 TLS not available', '250 sender', '250 recipient', '354 go on'];
    const server = await scriptedServer(...replies, '250 OK');
    expect(await send(server)).toMatchObject({ status: 250 });
  });

  test.each<[TlsMode, string, object | string]>([
    ['off', 'foreign', { secure: false }],
    ['insecure', 'foreign', { secure: true }],
    ['on', 'right', { secure: true }],
    ['on', 'foreign', 'tls_error'],
  ])('tls=%s to another machine with the %s certificate results in %j', async (tls, name, expected) => {
    const server = await mailServer(certificate(name));
    pretendRemote();
    if (expected === 'tls_error') return expect(await failureOf(send(server, { account: { tls } }))).toEqual([expected, false]);
    expect(await send(server, { account: { tls } })).toMatchObject({ status: 250 });
    expect(server.mails[0]).toMatchObject(expected);
  });

  test('tls=on sends nothing to a server without TLS', async () => {
    const server = await mailServer({ ...WITHOUT_TLS, disabledCommands: ['STARTTLS'] });
    expect(await failureOf(send(server, { account: { tls: 'on' } }))).toEqual(['tls_error', false]);
    expect(server.mails).toEqual([]);
  });

  test('a TLS error has the system’s code for the certificate’s problem', async () => {
    const server = await mailServer(certificate('foreign'));
    pretendRemote();
    await expect(send(server)).rejects.toMatchObject({ failure: 'tls_error', systemCode: expect.stringMatching(/CERT|ISSUER|SIGNATURE/) });
  });

  test('implicit TLS to a plaintext server fails with tls_error', async () => {
    const server = await mailServer();
    expect(await failureOf(send(server, { account: { isImplicitTls: true } }))).toEqual(['tls_error', false]);
  });
});

describe('a connection to the mail server', () => {
  test('a refused connection fails with no_mail_server', async () => {
    const server = await scriptedServer();
    await server.close();
    expect(await failureOf(send(server))).toEqual(['no_mail_server', false]);
    await expect(send(server)).rejects.toMatchObject({ systemCode: 'ECONNREFUSED' });
  });

  test('a name without an address fails with no_mail_server', async () => {
    failLookups('ENOTFOUND');
    await expect(send({ port: 25 })).rejects.toMatchObject({ failure: 'no_mail_server', systemCode: 'ENOTFOUND', isWritten: false });
  });

  test.each([1, 2, 3, 4])('a connection that ends instead of reply %i fails with unreachable and is unwritten', async (count) => {
    const replies = ['220 hello', '250 hello', '250 sender', '250 recipient'].slice(0, count - 1);
    expect(await failureOf(send(await scriptedServer(...replies, 'end')))).toEqual(['unreachable', false]);
  });

  test('a connection that ends after the content without a reply fails with no_answer', async () => {
    const server = await mailServer({
      ...WITHOUT_TLS,
      onData: (stream) => stream.on('end', () => server.server.connections.forEach((connection) => connection.close())).resume(),
    });
    expect(await failureOf(send(server))).toEqual(['no_answer', true]);
  });

  test.each([
    ['greeting', [] as string[]],
    ['reply to the sender', ['220 hello', '250 hello']],
  ])('a session without a %s ends at the deadline or when released, with nothing written', async (_, replies) => {
    holdTimeouts();
    const servers = [await scriptedServer(...replies), await scriptedServer(...replies)];
    const controller = new AbortController();
    const failures = [failureOf(send(servers[0])), failureOf(send(servers[1], { options: { abortSignal: controller.signal } }))];
    for (const server of servers) await server.until(() => (server.received[0]?.split('\r\n').length ?? 0) > replies.length);
    controller.abort();
    jest.advanceTimersByTime(DEADLINE_MS);
    expect(await Promise.all(failures)).toEqual([
      ['timeout', false],
      ['aborted', false],
    ]);
    for (const server of servers) await server.until(() => server.sockets[0].destroyed);
  });

  test('an SMTP session without a reply to DATA times out after two minutes, even if it is to be released', async () => {
    holdTimeouts();
    const controller = new AbortController();
    const server = await scriptedServer(...ACCEPTING);
    const end = jest.fn();
    const failure = failureOf(send(server, { options: { abortSignal: controller.signal } })).finally(end);
    await server.until(() => Boolean(server.received[0]?.endsWith('\r\n.\r\n')));
    controller.abort();
    jest.advanceTimersByTime(119_999);
    await eventLoopTurn();
    expect(end).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(await failure).toEqual(['timeout', true]);
  });

  test('a mail is delivered when the content is accepted after the deadline', async () => {
    holdTimeouts();
    const server = await scriptedServer(...ACCEPTING);
    const sent = send(server, { options: { deadlineMs: 10_000 } });
    await server.until(() => Boolean(server.received[0]?.endsWith('\r\n.\r\n')));
    jest.advanceTimersByTime(12_000);
    server.sockets[0].write('250 OK\r\n');
    expect(await sent).toMatchObject({ status: 250, step: 'content' });
  });

  describe('to a server that never stops replying', () => {
    const account = { user: 'user', password: 'password', tls: 'off' as const };
    const TO_LOGIN = ['220 hello', '250-hello\r\n250 AUTH PLAIN LOGIN'];

    test('a session ends after thirty replies to AUTH', async () => {
      const server = await scriptedServer(...TO_LOGIN, ...Array<string>(10_000).fill('334 '));
      expect(await failureOf(send(server, { account }))).toEqual(['endless_session', false]);
      await server.until(() => server.sockets[0].destroyed);
      expect(server.received[0].split('\r\n').length).toBeLessThan(50);
    });

    test('a session ends when thousands of replies to AUTH arrive at once', async () => {
      const server = await scriptedServer(...TO_LOGIN, '334 \r\n'.repeat(10_000));
      expect(await failureOf(send(server, { account }))).toEqual(['endless_session', false]);
      await server.until(() => server.sockets[0].destroyed);
    });

    test('a session with slow replies ends after five minutes', async () => {
      holdTimeouts();
      const server = await scriptedServer(...TO_LOGIN);
      const failure = failureOf(send(server, { account }));
      for (let lines = 3; lines < 14; lines++) {
        await server.until(() => server.received[0]?.split('\r\n').length >= lines);
        jest.advanceTimersByTime(29_000);
        if (lines < 13) server.sockets[0].write('334 \r\n');
      }
      expect(await failure).toEqual(['endless_session', false]);
    });

    test.each([
      ['a reply of endless lines', '220-hello\r\n'],
      ['an endless line', '220 hello'],
    ])('%s fails with not_http', async (_, text) => {
      const server = await scriptedServer(text.repeat(20_000));
      expect(await failureOf(send(server))).toEqual(['not_http', false]);
      await server.until(() => server.sockets[0].destroyed);
    });
  });

  test('each reply may take 29 seconds', async () => {
    holdTimeouts();
    const server = await scriptedServer();
    const sent = send(server, { options: { deadlineMs: 10_000 } });
    await server.until(() => server.sockets.length === 1);
    for (const [index, answer] of [...ACCEPTING, '250 OK'].entries()) {
      await server.until(() => server.received[0].split('\r\n').length > index);
      if (answer === '250 OK') await server.until(() => server.received[0].endsWith('\r\n.\r\n'));
      jest.advanceTimersByTime(29_000);
      server.sockets[0].write(`${answer}\r\n`);
    }
    expect(await sent).toMatchObject({ status: 250 });
  });
});

test('EHLO sends the configured name', async () => {
  const server = await scriptedServer('220 hello', '421 busy', 'end');
  await send(server);
  expect(server.received[0]).toBe('EHLO desk.example.org\r\n');
});

test('the content is not sent when beforeContent resolves with false', async () => {
  const server = await scriptedServer(...ACCEPTING);
  const beforeContent = jest.fn().mockResolvedValue(false);
  expect(await failureOf(send(server, { options: { beforeContent } }))).toEqual(['aborted', false]);
  expect(beforeContent).toHaveBeenCalledTimes(1);
  expect(server.received[0]).toMatch(/DATA\r\n$/);
});

test('mayWrite is called when the server is ready for the content, and may return false', async () => {
  const server = await scriptedServer('220 hello', '250 hello', '250 sender', '250 recipient', '354 go on');
  const asked: string[] = [];
  const mayWrite = () => {
    asked.push(server.received[0]);
    return false;
  };
  expect(await failureOf(send(server, { options: { mayWrite } }))).toEqual(['aborted', false]);
  expect(asked).toEqual([expect.stringMatching(/DATA\r\n$/)]);
  await server.until(() => server.sockets[0].destroyed);
  expect(server.received).toEqual(asked);
});

test('an error contains nothing of the mail or the account', async () => {
  const server = await scriptedServer('220 hello', '250-hello\r\n250 AUTH PLAIN', '235 canary', '250 canary', 'end');
  const account = { user: 'canary', password: 'canary', from: 'canary@canary.example' };
  const error: unknown = await send(server, { account, mail: { to: 'canary@canary.example', text: 'canary' } }).catch((reason) => reason);
  expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/canary|localhost|127\.0\.0\.1/);
});

test('mail requires SMTP_URL', async () => {
  await expect(new Outbound(new Config({}), new Clock(), new Network()).mail(MAIL, sendOptions())).rejects.toThrow('Mail needs SMTP_URL.');
});
