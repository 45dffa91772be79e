/** @mysql whole */
import { once } from 'node:events';
import { request, type OutgoingHttpHeaders } from 'node:http';
import { webhookSignature } from '../../../src/deliveries/channels/webhook.channel';
import { useApplication } from '../../support/http/application';
import { type Outcome, runCommand } from '../../support/areas/command';
import { onMysql } from '../../support/servers/database';
import { createWebhook, finished, REACH_LOOPBACK, sendMessage } from '../../support/areas/deliveries';
import { freePort } from '../../support/servers/free-port.cjs';
import { HANDLERS } from '../../support/areas/records';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const LINK = 'https://frontdesk.example.com/acknowledge/AAAA';
const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
/** A connection to it would fail. */
const NO_DATABASE = { DATABASE_URL: 'mysql://nobody@127.0.0.1:1/nothing' };

/** Runs `receive` until the work is done. */
async function receiving(argv: string[], work: (port: number) => Promise<void>): Promise<Outcome> {
  const port = await freePort();
  const ending = runCommand(NO_DATABASE, ['receive', '--port', String(port), ...argv]);
  try {
    while (!(await isListening(port))) await new Promise((resolve) => setTimeout(resolve, 10));
    await work(port);
  } finally {
    process.emit('SIGTERM');
  }
  return ending;
}

async function isListening(port: number): Promise<boolean> {
  return send(port, {}, '').then(
    () => true,
    () => false,
  );
}

async function send(port: number, headers: OutgoingHttpHeaders, body: string): Promise<number> {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', agent: false, headers }).end(body);
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

function signed(body: string, { at = Date.now(), secrets = [SECRET], id = 'msg_7' } = {}): OutgoingHttpHeaders {
  const timestamp = Math.floor(at / 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(secrets, id, timestamp, body),
  };
}

const describeOnce = onMysql ? describe.skip : describe;

describeOnce('frontdesk receive', () => {
  const message = (data: object) => JSON.stringify({ type: 'message', timestamp: '2026-11-21T12:16:43Z', data });

  test('receive prints requests and returns 204', async () => {
    const body = message({ title: 'Backup failed', text: 'First line.\nSecond \u001b[31mline.', url: '', acknowledge_url: LINK });
    const { code, stdout, stderr } = await receiving([], async (port) => {
      expect(await send(port, { 'webhook-id': 'msg_7' }, body)).toBe(204);
      expect(await send(port, {}, 'no JSON')).toBe(204);
      expect(await send(port, {}, 'x'.repeat(1024 * 1024 + 1))).toBe(413);
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+\. To stop, press Ctrl\+C\.\n$/);
    const blocks = stdout.split('\n\n').filter((block) => block.includes('\n'));
    expect(blocks).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${TIME}  msg_7  signature not checked\n  Backup failed\n  First line\\.\n  Second \uFFFD\\[31mline\\.\n  Acknowledge: ${LINK}$`,
        ),
      ),
      expect.stringMatching(new RegExp(`^${TIME}  no webhook-id  signature not checked\n  no JSON$`)),
    ]);
  });

  test('receive --secret returns 401 unless the signature is valid', async () => {
    const body = '{"test": 2432232314}';
    const minutes = (count: number) => ({ at: Date.now() + count * 60_000 });
    const { stdout } = await receiving(['--secret', SECRET], async (port) => {
      expect(await send(port, signed(body), body)).toBe(204);
      expect(await send(port, signed(body, { secrets: [OTHER_SECRET, SECRET] }), body)).toBe(204);
      expect(await send(port, signed(body, minutes(-4)), body)).toBe(204);
      expect(await send(port, signed(body, { secrets: [OTHER_SECRET] }), body)).toBe(401);
      expect(await send(port, signed(body), `${body} `)).toBe(401);
      expect(await send(port, { ...signed(body), 'webhook-id': 'msg_8' }, body)).toBe(401);
      expect(await send(port, { ...signed(body), 'webhook-signature': 'v1,AAAA v1a,x' }, body)).toBe(401);
      expect(await send(port, signed(body, minutes(-6)), body)).toBe(401);
      expect(await send(port, signed(body, minutes(6)), body)).toBe(401);
      expect(await send(port, { ...signed(body), 'webhook-timestamp': '1e9' }, body)).toBe(401);
      expect(await send(port, {}, body)).toBe(401);
    });
    const counts = (text: string) => stdout.split(`  ${text}\n`).length - 1;
    expect(['signature valid', 'wrong signature', 'timestamp more than 5 minutes off'].map(counts)).toEqual([3, 4, 3]);
  });

  test.each([
    [['--port', '0'], /^error: .* from 1 to 65535/],
    [['--secret', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], /^error: .* whsec_ and 24 to 64 bytes in base64/],
    [['--secret', 'whsec_c2hvcnQ='], /^error: .* whsec_ and 24 to 64 bytes in base64/],
  ])('receive %j exits with 1 and one line on standard error', async (argv, line) => {
    const { code, stdout, stderr } = await runCommand(NO_DATABASE, ['receive', ...argv]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(line)]);
  });

  test('receive exits with 1 when the port is in use', async () => {
    await receiving([], async (port) => {
      const { code, stderr } = await runCommand(NO_DATABASE, ['receive', '--port', String(port)]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^frontdesk: .*EADDRINUSE.*\n$/)]);
    });
  });
});

describeOnce('frontdesk receive with the service', () => {
  const { application } = useApplication(REACH_LOOPBACK);

  test('receive --secret accepts the signature of a delivery', async () => {
    const account = await application().createAccount();
    const handler = await createWebhook(account, 'http://127.0.0.1:1/');
    const { body } = await account.client.get(`${HANDLERS}/${handler}/signing-secret`);
    const { stdout } = await receiving(['--secret', (body as { data: { secret: string } }).data.secret], async (port) => {
      await account.client.post(`${HANDLERS}/${handler}`, { webhook: `http://127.0.0.1:${port}/` }).expect(200);
      const [id] = await sendMessage(account, [handler], { title: 'Backup', text: 'It failed.', url: 'https://example.com/x' });
      expect(await finished(account, id)).toMatchObject({ status: 'delivered' });
    });
    expect(stdout).toMatch(/ {2}msg_[0-9a-f]{12}_\d+ {2}signature valid\n {2}Backup\n {2}It failed\.\n {2}https:\/\/example\.com\/x\n/);
  });
});
