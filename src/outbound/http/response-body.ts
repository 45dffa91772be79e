import type { IncomingMessage } from 'node:http';
import type { SendScope } from '../send-scope';

const MAX_BYTES = 64 * 1_024;
const PROMPT_MS = 1_000;

/**
 * At most 64 KiB of the body; the connection of a longer one is closed.
 * @throws OutboundError when the connection ends first
 */
export async function readBody(response: IncomingMessage, scope: SendScope): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BYTES) break; // destroys the stream
    }
  } catch {
    throw scope.error('no_answer');
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString();
}

/** The body, or nothing when it breaks off or takes long. */
export async function readBodyIfPrompt(response: IncomingMessage, scope: SendScope): Promise<string> {
  const timer = setTimeout(() => response.destroy(), Math.min(PROMPT_MS, scope.remainingMs));
  const body = await readBody(response, scope).catch(() => '');
  clearTimeout(timer);
  return body;
}

/** Reads an unwanted body in the background, so that the connection can be kept; closes it if that exceeds the deadline. */
export function drain(response: IncomingMessage, scope: SendScope): void {
  const timer = setTimeout(() => response.destroy(), scope.remainingMs);
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', () => clearTimeout(timer));
}
