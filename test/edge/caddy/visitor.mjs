import { connect } from 'node:net';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';

/**
 * What a browser gets from a proxy: `{ status, headers, body, names }`, names being those of the certificate.
 * @throws Error if the connection fails, or the certificate is not the host's or not of this root
 */
export function visit({ address, port }, root, host, path = '/') {
  return send(requestTls, { host: address, port, path, servername: host, ca: root, headers: { Host: host } });
}

/** The same without TLS. */
export function visitPlainly({ address, httpPort }, host, path = '/') {
  return send(requestPlain, { host: address, port: httpPort, path, headers: { Host: host } });
}

/** What the edge tells a proxy about a host: a status. */
export async function ask(port, host) {
  const path = `/.frontdesk/ask?domain=${host}`;
  return (await send(requestPlain, { host: '127.0.0.1', port, path })).status;
}

export function isListening(address, port) {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    socket.once('connect', () => resolve(socket.destroy()));
    socket.once('error', () => resolve(false));
  }).then(Boolean);
}

function send(request, options) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, agent: false }, async (response) => {
      const names = response.socket.getPeerCertificate?.().subjectaltname;
      const body = (await response.toArray()).join('');
      resolve({ status: response.statusCode, headers: response.headers, body, names });
    });
    outgoing.on('error', reject).end();
  });
}
