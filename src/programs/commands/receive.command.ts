import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Command, InvalidArgumentError } from 'commander';
import { webhookSignature } from '../../deliveries/channels/webhook.channel';
import { Clock } from '../../platform/common/clock';
import { timestamp } from '../../platform/common/time';
import { onInterrupt, printNotice } from './action';
import { portArgument } from './arguments';

const HOST = '127.0.0.1';

interface Options {
  port: number;
  secret?: string;
}

/** Starts no application, because it needs no database. */
export function receiveCommand(): Command {
  return new Command('receive')
    .option('--port <number>', 'port to listen on', portArgument, 9000)
    .option('--secret <whsec_…>', 'signing secret: requests without a valid signature get 401', secretArgument)
    .action(run);
}

async function run({ port, secret }: Options): Promise<void> {
  const server = createServer((request, response) => {
    receive(request, response, secret).catch(() => response.destroy());
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  printNotice(`Listening on http://${HOST}:${port}. To stop, press Ctrl+C.`);
  await new Promise<void>((resolve) => onInterrupt(resolve));
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

function secretArgument(value: string): string {
  const [, encoded = ''] = /^whsec_(.+)$/s.exec(value) ?? [];
  const key = Buffer.from(encoded, 'base64');
  if (key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded) return value;
  throw new InvalidArgumentError('It must be a signing secret: whsec_ and 24 to 64 bytes in base64.');
}

const MAX_BYTES = 1024 * 1024;

/** Prints the request, and checks its signature if there is a secret. */
async function receive(request: IncomingMessage, response: ServerResponse, secret?: string): Promise<void> {
  const body = await readBody(request);
  if (!body) return void response.writeHead(413).end();
  const now = new Clock().now();
  const problem = secret && signatureProblem(request.headers, body.toString(), secret, now);
  const signature = secret ? (problem ?? 'signature valid') : 'signature not checked';
  const head = [timestamp(now), request.headers['webhook-id'] ?? 'no webhook-id', signature];
  const lines = [head.join('  '), ...linesOf(body.toString()).map((line) => `  ${line}`)];
  process.stdout.write(`${harmless(lines.join('\n'))}\n\n`);
  response.writeHead(problem ? 401 : 204).end();
}

/** Undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BYTES) chunks.push(chunk);
  }
  return length <= MAX_BYTES ? Buffer.concat(chunks) : undefined;
}

/** The lines of a message's title, text and URL; any other body is shown unchanged. */
function linesOf(body: string): string[] {
  const { title, text, url } = messageIn(body) ?? { text: body };
  return [title, text, url].flatMap((part) => (typeof part === 'string' && part !== '' ? part.split('\n') : []));
}

function messageIn(body: string): Partial<Record<'title' | 'text' | 'url', unknown>> | undefined {
  try {
    const { type, data } = JSON.parse(body) as { type?: unknown; data?: object | null };
    return type === 'message' && data ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces control characters, which could send commands to the terminal. */
function harmless(text: string): string {
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
