import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import getRawBody from 'raw-body';
import { webhookSignature } from '../../../deliveries/channels/webhook.channel';
import { Clock } from '../../../platform/common/clock';
import { timestamp } from '../../../platform/common/time';
import { onInterrupt, printNotice } from './output';

const HOST = '127.0.0.1';

interface Options {
  port: number;
  secret?: string;
}

export async function receive({ port, secret }: Options): Promise<void> {
  const server = createServer((request, response) => {
    answer(request, response, secret).catch(() => response.destroy());
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  printNotice(`Listening on http://${HOST}:${port}. To stop, press Ctrl+C.`);
  await new Promise<void>((resolve) => onInterrupt(resolve));
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

const MAX_BODY_BYTES = 1024 * 1024;

/** Prints the request, and checks its signature if there is a secret. */
async function answer(request: IncomingMessage, response: ServerResponse, secret?: string): Promise<void> {
  const body = await getRawBody(request, { limit: MAX_BODY_BYTES, encoding: 'utf8' }).catch(() => undefined);
  if (body === undefined) {
    request.resume(); // otherwise a sender that reads only after writing everything would hang
    return void response.writeHead(413).end();
  }
  const now = new Clock().now();
  const problem = secret && signatureProblem(request.headers, body, secret, now);
  const signature = secret ? (problem ?? 'signature valid') : 'signature not checked';
  const head = [timestamp(now), request.headers['webhook-id'] ?? 'no webhook-id', signature];
  const lines = [head.join('  '), ...linesOf(body).map((line) => `  ${line}`)];
  process.stdout.write(`${withoutControlCharacters(lines.join('\n'))}\n\n`);
  response.writeHead(problem ? 401 : 204).end();
}

/** The lines of a message's title, text and links; any other body is shown unchanged. */
function linesOf(body: string): string[] {
  const { title, text, url, acknowledge_url: link } = messageIn(body) ?? { text: body };
  return [title, text, url, typeof link === 'string' && `Acknowledge: ${link}`].flatMap((part) =>
    typeof part === 'string' && part !== '' ? part.split('\n') : [],
  );
}

function messageIn(body: string): Partial<Record<'title' | 'text' | 'url' | 'acknowledge_url', unknown>> | undefined {
  try {
    const { type, data } = JSON.parse(body) as { type?: unknown; data?: object | null };
    return type === 'message' && data ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces control characters, which could send commands to the terminal. */
function withoutControlCharacters(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}

const TOLERANCE_SECONDS = 300;

/**
 * The problem with a request's signature; undefined if it is valid. `now` is in milliseconds since 1970.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function signatureProblem(headers: IncomingHttpHeaders, body: string, secret: string, now: number): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !timestamp || !signatures) return 'not signed';
  if (!/^\d+$/.test(String(timestamp)) || Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS)
    return 'timestamp more than 5 minutes off';
  const expected = webhookSignature([secret], String(id), Number(timestamp), body);
  return String(signatures).split(' ').includes(expected) ? undefined : 'wrong signature';
}
