import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { startNameServer } from './name-server.mjs';

const HOST = 'hooks.example.com';
const SENDER = '+15005550006';

/** How the fakes respond. Refusals and garbage echo everything that was sent. */
export const MODES = ['accept', 'refuse', 'garbage', 'drop'];

/**
 * Fakes of the services that handlers send through. `env` makes a service use them, with the operator's secrets in `secrets`; `urlOf` makes
 * a URL for a mark.
 */
export async function startChannelFakes() {
  const fakes = { mode: 'accept', requests: 0, mails: 0 };
  const http = createServer((request, response) => void answer(fakes, request, response));
  const smtp = mailServer(fakes);
  await once(http.listen(0, '127.0.0.1'), 'listening');
  await once(smtp.listen(0, '127.0.0.1'), 'listening');
  const nameServer = await startNameServer((name) => (name === HOST ? ['127.0.0.1'] : []));
  const port = http.address().port;
  const [password, token] = [secret(), secret()];
  return Object.assign(fakes, {
    secrets: [password, token],
    urlOf: (mark) => `http://${HOST}:${port}/${mark}`,
    /** URLs that can't be connected to: no TLS, a forbidden address, an unknown name. */
    unusable: [(mark) => `https://${HOST}:${port}/${mark}`, (mark) => `http://10.0.0.1/${mark}`, (mark) => `http://no.example.com/${mark}`],
    env: {
      OUTBOUND_ALLOW: '127.0.0.1/32',
      DNS_SERVERS: nameServer.address,
      SMTP_URL: `smtp://user:${password}@127.0.0.1:${smtp.server.address().port}`,
      MAIL_FROM: 'frontdesk@example.com',
      TELEGRAM_API_URL: `http://127.0.0.1:${port}`,
      TWILIO_API_URL: `http://127.0.0.1:${port}`,
      ...{ TWILIO_ACCOUNT_SID: 'AC0', TWILIO_AUTH_TOKEN: token, TWILIO_FROM: SENDER, TWILIO_WHATSAPP_FROM: SENDER },
    },
    end() {
      http.closeAllConnections();
      http.close();
      smtp.close();
      nameServer.end();
    },
  });
}

async function answer(fakes, request, response) {
  const { url, headers, socket } = request;
  const sent = JSON.stringify({ url, headers, body: await text(request).catch(() => '') });
  fakes.requests++;
  if (fakes.mode === 'drop') socket.destroy();
  else if (fakes.mode === 'garbage') socket.end(sent);
  else if (fakes.mode === 'refuse') response.writeHead(403, { 'X-Sent': encodeURIComponent(sent) }).end(sent);
  else response.writeHead(url.startsWith('/2010-04-01/') ? 201 : 200).end('{"ok":true}');
}

function mailServer(fakes) {
  const refusal = (code, sent) => Object.assign(new Error(`refused: ${sent}`), { responseCode: code });
  let logIns = 0;
  return new SMTPServer({
    ...{ closeTimeout: 1, disableReverseLookup: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
    onAuth({ username, password }, session, done) {
      logIns++;
      if (fakes.mode === 'refuse' && logIns % 2) done(refusal(535, password));
      else done(null, { user: username });
    },
    onRcptTo({ address }, _session, done) {
      if (fakes.mode === 'garbage') done(refusal(451, address));
      else done(fakes.mode === 'refuse' ? refusal(550, address) : null);
    },
    onData(stream, _session, done) {
      stream.resume().on('end', () => {
        fakes.mails++;
        done(fakes.mode === 'drop' ? refusal(554, 'content') : null);
      });
    },
  }).on('error', () => {});
}

function secret() {
  return `canary${randomBytes(8).toString('hex')}`;
}
