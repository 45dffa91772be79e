import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { canonicalAddress, isLoopback, withoutDot } from '../common/hosts';
import { TIMEOUTS } from '../http/server/connections';

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const PLAIN_TEXT = 'text/plain; charset=utf-8';
const WILDCARDS = ['0.0.0.0', '::'];
/** Longer than the usual scrape interval. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Serves `/metrics` without a key, with the API's timeouts. Accepts only known host names; otherwise a web page in an operator's
 * browser could read the metrics through DNS rebinding. @throws the system error when it can't listen
 */
export async function serveMetrics(
  port: number,
  host: string,
  read: () => Promise<string>,
  allowedHosts: readonly string[] = [],
): Promise<Server> {
  const ownNames = new Set(['localhost', host, ...allowedHosts].map(normalize));
  // On a wildcard, any IP address is accepted: DNS can't rebind one, and the process doesn't know every address that leads here.
  const isOwnName = (name: string) => ownNames.has(name) || isLoopback(name) || (WILDCARDS.includes(host) && isIP(name) !== 0);
  const server = createServer({ ...TIMEOUTS, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (!isOwnName(nameOf(request))) return send(response, 421, 'This host name is not allowed: add it to METRICS_ALLOWED_HOSTS.\n');
    answer(request, response, read).catch(() => send(response, 500, "The metrics can't be collected.\n"));
  });
  await once(server.listen(port, host), 'listening');
  return server;
}

/** The host in the Host header, without port and brackets. */
function nameOf({ headers }: IncomingMessage): string {
  const [, ipv6, name] = /^(?:\[(.*)\]|([^:]*))(?::\d*)?$/.exec(headers.host ?? '') ?? [];
  return normalize(ipv6 ?? name ?? '');
}

function normalize(name: string): string {
  return canonicalAddress(withoutDot(name.toLowerCase()));
}

async function answer({ url, method }: IncomingMessage, response: ServerResponse, read: () => Promise<string>): Promise<void> {
  if (url?.split('?')[0] !== '/metrics') return send(response, 404, 'There is nothing at this path.\n');
  if (method === 'GET' || method === 'HEAD') return send(response, 200, await read(), PROMETHEUS_TEXT);
  response.setHeader('Allow', 'GET, HEAD');
  send(response, 405, 'This path answers GET, HEAD.\n');
}

function send(response: ServerResponse, status: number, text: string, type = PLAIN_TEXT): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
