import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { TIMEOUTS } from '../http/server/timeouts';

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Serves `/metrics` without a key, with the API's timeouts. @throws the system error when it can't listen */
export async function serveMetrics(port: number, host: string, read: () => Promise<string>): Promise<Server> {
  const server = createServer(TIMEOUTS, (request, response) => {
    answer(request, response, read).catch(() => send(response, 500, "The metrics can't be collected.\n"));
  });
  await once(server.listen(port, host), 'listening');
  return server;
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
