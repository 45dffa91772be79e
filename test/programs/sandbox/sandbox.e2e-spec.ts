/** @mysql whole */
import { execFile, spawn } from 'node:child_process';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stream from 'node:stream';
import { promisify } from 'node:util';
import request from 'supertest';
import { Clock } from '../../../src/platform/common/clock';
import { type SandboxAccount, type Sandbox, startSandbox } from '../../../src/programs/sandbox/testing';
import { sandboxAccount, type SandboxTestAccount, TestApplication } from '../../support/http/application';
import { buildServer, CLI_SCRIPT } from '../../support/jest/build';
import { ByteServer } from '../../support/servers/byte-server';
import { Client } from '../../support/http/client';
import { runCommand } from '../../support/areas/command';
import { createDatabase, DATABASE, newSecretsKey } from '../../support/servers/database';
import { REACH_LOOPBACK } from '../../support/areas/deliveries';
import { MailServer } from '../../support/servers/mail-server';
import { DELIVERIES, DOMAINS, HANDLERS, MESSAGES } from '../../support/areas/records';
import { inTurn, longTest, longTestOnce } from '../../support/jest/size';

const MESSAGE = { title: 'Backup <1>', text: 'It failed & *stopped*.\nTwice.', url: 'https://example.com/x?a=1&b=2' };
const FAILED = { answers: [], then: { status: 500 } };

let sandbox: Sandbox;
let account: SandboxTestAccount;

beforeAll(async () => {
  sandbox = await startSandbox({ database: DATABASE });
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
  account = await sandboxAccount(sandbox);
});

const webhook = (client = account.client, url = 'https://hooks.example.com/1') =>
  client.create(HANDLERS, { name: 'Pager', type: 'webhook', webhook: url });
const send = (handler: number, fields: Record<string, string> = {}, client = account.client) =>
  client.create(MESSAGES, { text: 'The backup failed.', handler_ids: String(handler), ...fields });
const deliveryOf = async (message: number, client = account.client) => {
  const { body } = await client.get(`${DELIVERIES}?message_id=${message}`).expect(200);
  const [{ id }] = (body as { data: { id: number }[] }).data;
  const found = await client.get(`${DELIVERIES}/${id}`).expect(200);
  return (found.body as { data: { status: string; outcome: string; attempts: number; log: { outcome: string; datetime: string }[] } }).data;
};

/** A separate sandbox, for what concerns a whole sandbox. */
async function withSandbox(work: (own: Sandbox, client: Client) => Promise<void>, options: Parameters<typeof startSandbox>[0] = {}) {
  const own = await startSandbox({ database: DATABASE, ...options });
  try {
    await work(own, new Client(own.httpServer, own.key));
  } finally {
    await own.stop();
  }
}

describe('a sent message', () => {
  const settings = (url: string): Record<string, Record<string, string>> => ({
    email: { email: 'night@example.com' },
    webhook: { webhook: `${url}webhook` },
    slack: { slack: `${url}slack` },
    discord: { discord: `${url}discord` },
    telegram: { telegram: '1:secret', telegram_chat_id: '-100' },
    microsoft_teams: { microsoft_teams: `${url}teams` },
    twilio: { twilio: '+14155550100' },
    twilio_call: { twilio_call: '+14155550100' },
    whatsapp: { whatsapp: '+14155550100' },
  });

  test('is byte for byte what production sends, for each type', async () => {
    const receiver = await ByteServer.start((socket, text) => {
      const [head, body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (body?.length === length) socket.end('HTTP/1.1 201 Created\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{"ok":true}');
    });
    const mailServer = await MailServer.start({ hideSTARTTLS: true });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const env = {
      ...REACH_LOOPBACK,
      SECRETS_KEY: newSecretsKey(),
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'Front Desk <desk@example.com>',
      TELEGRAM_API_URL: url,
      TWILIO_API_URL: url,
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'secret',
      TWILIO_FROM: '+15005550006',
      TWILIO_WHATSAPP_FROM: '+15005550007',
    };
    const written: string[] = [];
    const { duplexPair } = stream;
    jest.spyOn(stream, 'duplexPair').mockImplementation(() => {
      const [near, far] = duplexPair();
      const index = written.push('') - 1;
      const write = near.write.bind(near) as (chunk: Buffer | string, ...rest: unknown[]) => boolean;
      near.write = (chunk: Buffer | string, ...rest: unknown[]) => {
        written[index] += Buffer.from(chunk as string).toString('latin1');
        return write(chunk, ...rest);
      };
      return [near, far];
    });
    const sendAll = async (client: Client) => {
      for (const [type, fields] of Object.entries(settings(url))) {
        await send(await client.create(HANDLERS, { name: 'Night shift', type, ...fields }), MESSAGE, client);
      }
    };

    const real = await createDatabase();
    const { randomBytes } = crypto;
    const sameSecrets = (size: number) => ([6, 32].includes(size) ? Buffer.alloc(size, 7) : randomBytes(size));
    jest.spyOn(crypto, 'randomBytes').mockImplementation(sameSecrets);
    await withSandbox(
      async (own, ownClient) => {
        const production = await TestApplication.start({ ...real.env, ...env });
        try {
          jest.spyOn(production.app.get(Clock), 'now').mockImplementation(() => own.now.getTime());
          const { client } = await production.createAccount();
          await sendAll(ownClient);
          await sendAll(client);
          await receiver.until(() => receiver.received.filter((text) => text.includes('\r\n\r\n')).length === 8);
          while (mailServer.mails.length < 1) await new Promise((resolve) => setImmediate(resolve));
          await own.settle();
          const http = written.filter((text) => text.startsWith('POST'));
          expect(http.sort()).toEqual(receiver.received.filter(Boolean).sort());
          const [{ mail }] = own.sent({ type: 'email' });
          expect(mail).toMatchObject({ from: 'desk@example.com', to: ['night@example.com'], subject: MESSAGE.title });
          expect(mail!.raw.trimEnd()).toBe(mailServer.mails[0].content.trimEnd().replace(/(?<=an alert of ).*$/m, 'sandbox'));
          expect(own.sent()).toHaveLength(9);
          for (const { type, readable } of own.sent()) {
            expect([type, readable]).toEqual([type, type === 'twilio_call' ? { ...MESSAGE, url: '' } : MESSAGE]); // read aloud
          }
        } finally {
          await production.stop();
          await real.drop();
        }
      },
      { env },
    );
    await receiver.close();
    await mailServer.close();
  });

  test('a WhatsApp template without a title shows its text once, however long', async () => {
    const env = { TWILIO_WHATSAPP_CONTENT_SID: 'HX1' };
    await withSandbox(
      async (own, client) => {
        const handler = await client.create(HANDLERS, { name: 'Night shift', type: 'whatsapp', whatsapp: '+14155550100' });
        const text = 'The appointment has moved. '.repeat(4).trim();
        await send(handler, { text }, client);
        await own.settle();
        expect(own.sent()[0].readable).toEqual({ title: '', text, url: '' });
      },
      { env },
    );
  });

  test('is readable up to the limit of its type', async () => {
    const text = 'It failed again. '.repeat(200).trim();
    await send(await account.client.create(HANDLERS, { name: 'Chat', type: 'discord', discord: 'https://discord.com/1' }), { text });
    await sandbox.settle(account);
    const [{ readable, request: sent }] = sandbox.sent({ account: account.id });
    expect(JSON.parse(sent!.body)).toMatchObject({ content: readable.text });
    expect(readable.text).toMatch(/^It failed.*…$/);
  });

  test('is not sent to a blocked address', async () => {
    const message = await send(await webhook(account.client, 'http://10.0.0.1/hook'));
    await sandbox.settle(account);
    expect(await deliveryOf(message)).toMatchObject({ status: 'failed', outcome: 'blocked_address' });
    expect(sandbox.sent({ account: account.id })).toEqual([]);
  });

  test('a mail has its decoded subject', async () => {
    const handler = await account.client.create(HANDLERS, { name: 'Recepção', type: 'email', email: 'a@example.com' });
    await send(handler, { title: 'Olá, João – está tudo bem? '.repeat(4).trim(), text: 'Às 9h.' });
    await sandbox.settle(account);
    const [{ mail, readable }] = sandbox.sent({ account: account.id });
    expect(mail).toMatchObject({ to: ['a@example.com'], subject: 'Olá, João – está tudo bem? '.repeat(4).trim() });
    expect(readable).toEqual({ title: mail!.subject, text: 'Às 9h.', url: '' });
  });
});

describe('the clock', () => {
  let own: Sandbox;
  let client: Client;

  beforeAll(async () => {
    own = await startSandbox({ database: DATABASE });
  });
  afterAll(() => own.stop());
  beforeEach(async () => {
    ({ client } = await sandboxAccount(own));
  });

  test('advance() makes all nine attempts within 22 hours, each at its time', async () => {
    const handler = await webhook(client);
    own.answer({ handler_id: handler, ...FAILED });
    const message = await send(handler, {}, client);
    const start = own.now.getTime();
    await own.advance('22h');
    const waits = [0, 5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200];
    const times = waits.map((_, index) => start + waits.slice(0, index + 1).reduce((sum, wait) => sum + wait) * 1_000);
    const sent = own.sent({ message_id: message });
    expect(sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sent.map(({ request }) => Number(request!.headers['webhook-timestamp']))).toEqual(times.map((time) => Math.floor(time / 1_000)));
    expect(await deliveryOf(message, client)).toMatchObject({ status: 'failed', attempts: 9 });
    expect(own.now.getTime()).toBe(start + 22 * 3_600_000);
  });

  test('stands still between calls of advance(), for stored times too', async () => {
    const before = await client.get(`${HANDLERS}/${await webhook(client)}`);
    await own.advance('2d');
    const after = await client.get(`${HANDLERS}/${await webhook(client)}`);
    const timeOf = ({ body }: { body: unknown }) =>
      Date.parse(`${(body as { data: { datetime: string } }).data.datetime.replace(' ', 'T')}Z`);
    expect(timeOf(after) - timeOf(before)).toBe(2 * 86_400_000);
    await own.advance('1h'); // events are expired hourly
    const { body } = await client.get('/api/events?after=oldest').expect(200);
    expect((body as { data: unknown[] }).data.length).toBeGreaterThan(0);
  });

  test('advance() respects Retry-After', async () => {
    const handler = await webhook(client);
    own.answer({ handler_id: handler, answers: [{ status: 429, headers: { 'Retry-After': '90' } }] });
    const message = await send(handler, {}, client);
    await own.advance('89s');
    expect(own.sent({ message_id: message })).toHaveLength(1);
    await own.advance('1s');
    expect(own.sent({ message_id: message })).toHaveLength(2);
    expect(await deliveryOf(message, client)).toMatchObject({ status: 'delivered' });
  });

  longTestOnce('advance() verifies a domain, withdraws it, and verifies it again', async () => {
    const path = `${DOMAINS}/${await client.create(DOMAINS, { host: 'shop.example.com' })}/verification`;
    type Verification = { status: string; records: { name: string; value: string }[] };
    const read = async () => ((await client.get(path).expect(200)).body as { data: Verification }).data;
    const { status, records } = await read();
    const [{ name, value }] = records;
    expect(status).toBe('pending');
    own.dns(name, { type: 'TXT', values: [value] });
    await own.advance('10s');
    expect(await read()).toMatchObject({ status: 'verified' });
    own.dns(name, { fault: 'nxdomain' });
    await own.advance('3d');
    expect(await read()).toMatchObject({ status: 'pending' });
    own.dns(name, { type: 'TXT', values: [value] });
    await own.advance('5m');
    expect(await read()).toMatchObject({ status: 'verified' });
  });
});

test('pressing a key in a call acknowledges the message', () =>
  withSandbox(
    async (own, client) => {
      const handler = await client.create(HANDLERS, { name: 'Phone', type: 'twilio_call', twilio_call: '+14155550100' });
      const message = await send(handler, { until: 'acknowledged' }, client);
      await own.settle();
      const [call] = own.sent({ message_id: message });
      const acknowledged = async () =>
        ((await client.get(`${MESSAGES}/${message}`).expect(200)).body as { data: { acknowledged: object | null } }).data.acknowledged;
      expect(await own.press(call, '2')).toContain('Press 1 to acknowledge.');
      expect(await acknowledged()).toBeNull();
      const pressed = request(own.httpServer).post('/sandbox/keys').set('Host', 'localhost').send({ id: call.id, key: '1' });
      expect((await pressed.expect(200)).body).toEqual({ twiml: expect.stringContaining('This message is acknowledged.') });
      expect(await acknowledged()).toMatchObject({ delivery_id: call.delivery_id });
    },
    { env: { PUBLIC_URL: 'https://desk.example.com' } },
  ));

test('an acknowledgement link with trailing punctuation works, and cancels the next step', async () => {
  const handler = await webhook();
  sandbox.answer({ handler_id: handler, answers: [{ status: 410 }] });
  const message = await send(handler, { steps: `600:${handler}` });
  await sandbox.settle(account);
  const [{ delivery_id, readable }] = sandbox.sent({ message_id: message });
  const { pathname } = new URL(readable.acknowledge_url!);
  await new Client(sandbox.httpServer).post(`${pathname}).`).expect(200);
  const refused = await account.client.post(`${DELIVERIES}/${delivery_id}/retry`);
  expect(refused.body).toMatchObject({ errors: [{ code: 'delivery_obsolete' }] });
  await sandbox.advance('10m');
  expect(sandbox.sent({ message_id: message })).toHaveLength(1);
});

test('a replay over the daily limit continues the next day', () =>
  withSandbox(
    async (own, client) => {
      const handler = await webhook(client);
      await client.post(`${HANDLERS}/${handler}/events`, { types: 'domain.created' }).expect(200);
      await own.advance('1d'); // the daily limit counts from the sandbox's first day
      for (let count = 0; count < 3; count++) await client.create(DOMAINS, { host: `shop${count}.example.com` });
      await own.settle();
      const { body } = await client.get('/api/events?types=domain.created');
      const { datetime } = (body as { data: { datetime: string }[] }).data[0];
      await client.post(`${HANDLERS}/${handler}/replay`, { from: datetime }).expect(200);
      await own.settle();
      expect(own.sent()).toHaveLength(5);
      expect((await client.get(`${HANDLERS}/${handler}/replay`)).body).toMatchObject({ data: { sent: 2, left: 1 } });
      await own.advance('1d');
      expect(own.sent()).toHaveLength(6);
    },
    { env: { DELIVERY_DAILY_LIMIT: 'webhook=8', DOMAIN_CHECKS: 'off' } },
  ));

describe('a simulated receiver', () => {
  test.each([
    ['refuse', 'unreachable', 0],
    ['reset', 'unknown', 1],
    ['tls', 'tls_error', 0],
  ] as const)('the fault %s has the outcome %s', async (fault, outcome, sent) => {
    const handler = await webhook();
    sandbox.answer({ handler_id: handler, answers: [{ fault }] });
    const message = await send(handler);
    await sandbox.settle(account);
    expect(await deliveryOf(message)).toMatchObject({ status: 'pending', outcome });
    expect(sandbox.sent({ message_id: message, account: account.id })).toHaveLength(sent);
  });

  longTest('the fault hang lasts until the deadline, and delays no other account', async () => {
    const handler = await webhook();
    sandbox.answer({ handler_id: handler, answers: [{ fault: 'hang' }] });
    const message = await send(handler);
    const other = await sandboxAccount(sandbox);
    const delivered = await send(await webhook(other.client), {}, other.client);
    await sandbox.settle(other);
    expect(await deliveryOf(delivered, other.client)).toMatchObject({ status: 'delivered' });
    await sandbox.settle(account);
    expect(await deliveryOf(message)).toMatchObject({ status: 'pending', outcome: 'timeout' });
  });

  test('the most specific rule decides the answer', async () => {
    const [first, second] = [await webhook(), await webhook(account.client, 'https://other.example.com/')];
    sandbox.answer({ handler_id: first, answers: [{ status: 410, body: 'gone' }] });
    sandbox.answer({ account: account.id, answers: [], then: { status: 204 } });
    sandbox.answer({ account: account.id, host: 'other.example.com', answers: [{ status: 503 }] });
    const messages = [await send(first), await send(second), await send(first)];
    await sandbox.settle(account);
    const outcomes = await Promise.all(messages.map(async (message) => (await deliveryOf(message)).outcome));
    expect(outcomes).toEqual(['rejected', 'server_error', 'delivered']);
  });

  test('sent() separates accounts', async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, () => sandboxAccount(sandbox)));
    await Promise.all(
      accounts.map(async (each) => {
        await send(await webhook(each.client), { text: each.name }, each.client);
        await sandbox.settle(each);
        expect(sandbox.sent({ account: each.id }).map(({ readable }) => readable.text)).toEqual([each.name]);
      }),
    );
  });
});

describe('startSandbox()', () => {
  test('accepts extensions and overrides of providers', () =>
    withSandbox(
      (own) => {
        expect(own.get<string>('coin')).toBe('tails');
        return Promise.resolve();
      },
      {
        extensions: [{ name: 'coins', modules: [{ module: class Coins {}, providers: [{ provide: 'coin', useValue: 'heads' }] }] }],
        overrides: [{ provide: 'coin', useValue: 'tails' }],
      },
    ));

  test('accepts a simulated certificate that is valid for a year', () =>
    withSandbox(
      async (own, client) => {
        const path = `${DOMAINS}/${await client.create(DOMAINS, { host: 'shop.example.com' })}/verification`;
        type Answer = { data: { certificate: object | null; problems: object[]; records: { name: string; value: string }[] } };
        const read = async () => ((await client.get(path)).body as Answer).data;
        const [{ name, value }] = (await read()).records;
        own.dns(name, { type: 'TXT', values: [value] });
        own.tls('shop.example.com', { days: 365 });
        await own.advance('2h');
        expect(await read()).toMatchObject({ problems: [], certificate: { issuer: 'Sandbox, R1' } });
      },
      { env: { EDGE_TARGET: 'edge.example.net' } },
    ));

  test('starts independent sandboxes in one process', () =>
    withSandbox(async (own, client) => {
      await client.get(HANDLERS).expect(200);
      await new Client(own.httpServer, account.key).get(HANDLERS).expect(401);
      await account.client.get(HANDLERS).expect(200);
    }));

  test('rejects a database with a name, and DATABASE_URL', async () => {
    await expect(startSandbox({ database: 'mysql://root@127.0.0.1/production' })).rejects.toThrow('without a database name');
    await expect(startSandbox({ env: { DATABASE_URL: 'sqlite:x' } })).rejects.toThrow('DATABASE_URL');
  });
});

describe('/sandbox', () => {
  const post = (path: string, body: object) => request(sandbox.httpServer).post(path).set('Host', 'localhost').send(body);

  test('controls the sandbox without a key', async () => {
    const { body: created } = await post('/sandbox/accounts', {
      name: 'over HTTP',
      scopes: ['messages:write', 'notification-handlers:write'],
    }).expect(201);
    const { id, key } = created as SandboxAccount;
    const client = new Client(sandbox.httpServer, key);
    const handler = await webhook(client);
    await post('/sandbox/answers', { handler_id: handler, answers: [{ status: 500 }], then: { status: 202, body: 'ok' } }).expect(204);
    await post('/sandbox/dns', { name: 'hooks.example.com', type: 'A', values: ['93.184.215.15'] }).expect(204);
    await send(handler, {}, client);
    await post('/sandbox/settle', { account: id }).expect(204);
    const { body: sent } = await request(sandbox.httpServer).get(`/sandbox/sent?account=${id}`).set('Host', '127.0.0.1').expect(200);
    expect(sent).toMatchObject([{ account: id, type: 'webhook', handler_id: handler, attempt: 1, answer: { status: 500 } }]);
    const { body: moved } = await post('/sandbox/clock', { advance: '1s' }).expect(200);
    expect(moved).toEqual({ now: sandbox.now.toISOString() });
  });

  test.each([
    ['another host name', { Host: 'frontdesk.example.com' }, 400],
    ['an Origin', { Origin: 'http://localhost' }, 400],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
  ])('a request with %s is rejected', async (_, headers, status) => {
    await request(sandbox.httpServer)
      .post('/sandbox/settle')
      .set({ Host: 'localhost', ...headers })
      .send('{}')
      .expect(status);
  });

  test.each([
    ['/sandbox/clock', { advance: '3 weeks' }],
    ['/sandbox/clock', {}],
    ['/sandbox/dns', { name: 'a.example.com' }],
    ['/sandbox/answers', { answers: [{ fault: 'unknown' }] }],
    ['/sandbox/accounts', { scopes: ['unknown:read'] }],
    ['/sandbox/settle', { accounts: 1 }],
    ['/sandbox/keys', { id: 0, key: '1' }],
    ['/sandbox/keys', { id: 1, key: '12' }],
  ])('%s refuses %j', async (path, body) => {
    const { body: answer } = await post(path, body).expect(400);
    expect(answer).toHaveProperty('errors[0].status', 400);
  });

  const CONTROLS = ['/accounts', '/answers', '/clock', '/dns', '/keys', '/sent', '/settle', '/tls'];

  test('has its own OpenAPI document', async () => {
    const { body: own } = await request(sandbox.httpServer).get('/sandbox/openapi.json').set('Host', 'localhost').expect(200);
    const { body: service } = await request(sandbox.httpServer).get('/openapi.json').expect(200);
    const pathsOf = (body: unknown) => Object.keys((body as { paths: object }).paths);
    expect(pathsOf(own).sort()).toEqual(['', ...CONTROLS].map((path) => `/sandbox${path}`));
    expect(pathsOf(service).filter((path) => path.startsWith('/sandbox'))).toEqual([]);
  });

  test('DELETE /sandbox resets everything but the first account', () =>
    withSandbox(async (own, client) => {
      await send(await webhook(client), {}, client);
      const other = await sandboxAccount(own);
      await own.settle();
      await request(own.httpServer).delete('/sandbox').set('Host', 'localhost').expect(204);
      expect(own.sent()).toEqual([]);
      expect((await client.get(HANDLERS).expect(200)).body).toMatchObject({ data: [], meta: { total: 0 } });
      expect(other.id).toBeGreaterThan(1);
      await send(await webhook(client), {}, client);
      await own.settle();
      expect(own.sent()).toHaveLength(1);
    }));
});

longTestOnce('a stopped sandbox leaves nothing behind in its process', async () => {
  buildServer();
  const script = join(__dirname, 'stopped-sandboxes.cjs');
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script]);
  expect(JSON.parse(stdout)).toEqual({ alive: 0, newClasses: 0 });
});

describe('frontdesk sandbox', () => {
  let folder: string;
  beforeAll(() => {
    buildServer();
    folder = mkdtempSync(join(tmpdir(), 'frontdesk-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(inTurn(['SIGTERM', 'SIGINT'] as const, 0))(
    'the command prints one line when ready, and removes its files on %s',
    async (signal) => {
      const env = { TMPDIR: folder, EXTENSIONS: 'not-installed', PORT: 'invalid' };
      const child = spawn(process.execPath, [CLI_SCRIPT, 'sandbox', '--json', '--env', 'MAX_HANDLERS=1'], { env });
      let output = '';
      child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
      while (!output.includes('\n')) await once(child.stdout, 'data');
      const { url, key } = JSON.parse(output) as { url: string; key: string };
      expect(readdirSync(folder)).toHaveLength(1);
      const response = await fetch(`${url}/api/notification-handlers`, { headers: { authorization: `Bearer ${key}` } });
      expect(response.status).toBe(200);
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(output.trim().split('\n')).toHaveLength(1);
      expect(existsSync(folder) && readdirSync(folder)).toEqual([]);
    },
  );

  test.each([{ NODE_ENV: 'production' }, { DATABASE_URL: 'mysql://root@127.0.0.1/production' }])(
    'the command does not start with %j',
    async (env) => {
      expect(await runCommand(env, ['sandbox'])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^frontdesk: .+\n$/) as string,
      });
    },
  );
});
