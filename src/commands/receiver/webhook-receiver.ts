import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { timestamp } from '../../common/time';
import { signatureProblem } from './signature';

const MAX_BYTES = 1024 * 1024;

/** A receiver of webhooks for demonstrations: prints each request, and checks its signature if there is a key. */
export function webhookReceiver(print: (text: string) => void, key?: Buffer): Server {
  return createServer((request, response) => {
    receive(request, response, print, key).catch(() => response.destroy());
  });
}

async function receive(request: IncomingMessage, response: ServerResponse, print: (text: string) => void, key?: Buffer): Promise<void> {
  const body = await readBody(request);
  if (!body) return void response.writeHead(413).end();
  const now = Date.now();
  const problem = key && signatureProblem(request.headers, body, key, now);
  const signature = key ? (problem ?? 'signature valid') : 'signature not checked';
  const head = [timestamp(new Date(now)), request.headers['webhook-id'] ?? 'no webhook-id', signature];
  print(`${harmless([head.join('  '), ...linesOf(body.toString('utf8')).map((line) => `  ${line}`)].join('\n'))}\n\n`);
  response.writeHead(problem ? 401 : 204).end();
}

/** Undefined if it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BYTES) chunks.push(chunk);
  }
  return length <= MAX_BYTES ? Buffer.concat(chunks) : undefined;
}

/** Title, text and URL of a message; anything else as it came. */
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

/** A control character could be a command to the terminal. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}
